"""The question, as a person puts it, and the scenario, which is the question with every input fixed by its digest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeVar, get_args

from fleettui.domain import checks, question_checks
from fleettui.domain.arrivals import ArrivalRecord
from fleettui.domain.bounds import Bounds
from fleettui.domain.calibration import Calibration, ServerFit
from fleettui.domain.checks import NotNegative, OpenShare, Positive, PositiveCount, Range, Share, ShareBelowOne
from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.engine_settings import PromptSteps
from fleettui.domain.failures import FailingUnit, Failures, Rack
from fleettui.domain.fleet import PoolProfile
from fleettui.domain.hardware import STOCK, Profile, StepLaw, Tuning
from fleettui.domain.limit import ALWAYS, E2E, ClassShare, Latency, Limit
from fleettui.domain.measured_share import MeasuredShare
from fleettui.domain.offers import PriceTerms
from fleettui.domain.prefixes import PrefixRecord
from fleettui.domain.replica import OfReplica
from fleettui.domain.serialization import later
from fleettui.domain.sessions import SessionRecord
from fleettui.domain.typed_range import TypedRange
from fleettui.errors import InputError

DemandForm = Literal["trace", "rate", "users", "tokens", "concurrency"]
Served = TypeVar("Served", Profile, PoolProfile)
Preset = Literal["recommended", "paper"]
PRESETS: tuple[Preset, ...] = get_args(Preset)
DtypeChoice = Literal[Dtype, "auto"]
DTYPE_CHOICES: tuple[DtypeChoice, ...] = get_args(DtypeChoice)
Objective = Literal["cost", "gpus", "power", "energy", "ttft"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
EVERY_GPU = "all"
"""What stands for every GPU of the catalogue that has a price, or is given one."""
SERVER_FIELDS = (
    *("engine", "tuning", "engine_overhead", "front_end", "api_token"),
    "step_law",
    "fit",
    *("kv_dtype", "expert_parallel", "parallel", "pp", "attention_dp", "speculative", "graph_bins"),
)
"""Fields of a question, beside its model, on which the figures of every replica depend."""
MOST_POOLS, MOST_GAMMA = 4, 4.0
LARGEST_SEED = 2**63 - 1
Seed = Annotated[int, Range(what="is no seed", accepted="a whole number from 0 to 2^63 - 1", low=0, high=LARGEST_SEED)]
PeakFactor = Annotated[float, Range(what="is below the average", accepted="a factor of 1 or above", low=1)]
Wished = Annotated[
    float,
    Range(what="is no confidence to size for", accepted="50% (step times as predicted) to 99.9%", low=0.5, high=0.999),
]
LEAST_RATE, MOST_RATE = 1e-6, 1e7
"""Requests per second that a question may come to; beyond, whole replicas are no longer told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """How much is asked for, in the form in which it is known. Rates and tokens are per second, times in seconds.

    `trace` takes the workload's own rate; `rate` uses `rate`; `users` uses users × requests_per_user × peak_factor;
    `tokens` uses tokens (prompt and output, averaged over the day) with the share of the day's tokens that falls
    into the peak hour; `concurrency` is a closed loop of that many clients with a think time.
    """

    form: DemandForm = "trace"
    rate: Positive | None = None
    users: Positive | None = None
    requests_per_user: Positive | None = None
    peak_factor: PeakFactor = 1.0
    tokens: Positive | None = None
    peak_hour: OpenShare = 0.09
    concurrency: PositiveCount | None = None
    think: NotNegative = 0.0

    def __post_init__(self) -> None:
        for name in self.required():
            if getattr(self, name) is None:
                raise InputError(f"demand by {self.form} needs {name}")
        checks.fields(self)

    def required(self) -> tuple[str, ...]:
        """Return the names of the fields that this form needs."""
        by_form: dict[str, tuple[str, ...]] = {
            "rate": ("rate",),
            "users": ("users", "requests_per_user"),
            "tokens": ("tokens",),
            "concurrency": ("concurrency",),
        }
        return by_form.get(self.form, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedDemand:
    """Requests per second that the demand comes to, and the arithmetic that led there in one line.

    `pairing` is how prompts and outputs were paired: as recorded, or the costliest way where that is unknown.
    """

    rate: float
    arithmetic: str
    pairing: str = ""

    def __post_init__(self) -> None:
        if not LEAST_RATE <= self.rate <= MOST_RATE:
            raise InputError(
                "the demand is beyond any fleet's",
                value=f"{self.rate:.3g} requests/s",
                accepted=f"{LEAST_RATE:g} to {MOST_RATE:g} requests/s",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Slo:
    """Latency limits in seconds; `percentile` is the share of a pool's requests that must stay within each.

    `further` are (name, seconds) of limits at percentiles of their own, such as ttft.p50, and of those of class batch,
    such as batch.ttft; all others are the interactive class's where there are two. A plan needs at least one limit; a
    fleet that is only looked at needs none.
    """

    ttft: float | None = None
    tpot: float | None = None
    e2e: float | None = None
    percentile: float = 0.99
    further: tuple[tuple[str, float], ...] = later(())

    def __post_init__(self) -> None:
        checks.open_share("percentile", self.percentile)
        limits = self.limits()
        own = [one.name for one in self.own() if one.is_further]
        taken = {(one.metric, one.batch, self.share(one)) for one in limits}
        if own != [name for name, _ in self.further] or len(taken) < len(limits):
            raise InputError(
                "a limit stands twice or has no percentile of its own",
                value=", ".join(one.name for one in limits),
                accepted="each latency once at each percentile: ttft.p50, and ttft.p99 where the SLO's is another",
            )

    def require_a_limit(self) -> None:
        """Raise InputError unless a limit is set, as a plan needs one."""
        if not self.limits():
            raise InputError(
                "no service level objective is given",
                accepted="at least one of --slo-ttft 500ms, --slo-tpot 50ms, --slo-e2e 30s, --limit ttft.p50=200ms",
            )

    def limits(self) -> tuple[Limit, ...]:
        """Return the limits that are set: those at the SLO's percentile in the order ttft, tpot, e2e, then further."""
        return (*self.shared(), *self.own())

    def own(self) -> tuple[Limit, ...]:
        """Return the limits at percentiles of their own, and those of class batch."""
        return tuple(Limit.of(name, seconds) for name, seconds in self.further)

    def shared(self, *, batch: bool = False) -> tuple[Limit, ...]:
        """Return the limits at the SLO's percentile, for class `batch` its own: what one request keeps or breaks."""
        if batch:
            return tuple(one for one in self.own() if one.batch and one.percentile is None)
        values = ((metric.name, getattr(self, metric.name)) for metric in ALWAYS)
        return tuple(Limit(metric=name, seconds=seconds) for name, seconds in values if seconds is not None)

    def latencies(self) -> tuple[Latency, ...]:
        """Return the latencies that a wide table shows: TTFT, TPOT, E2E where it has a limit, and the further ones."""
        shared = (metric.latency for metric in ALWAYS if metric is not E2E or self.e2e is not None)
        return tuple({(one.metric, one.batch, self.share(one)): one for one in (*shared, *self.own())}.values())

    def limit_on(self, latency: Latency) -> float | None:
        """Return the seconds that a latency may take, None where it has no limit."""
        return next((one.seconds for one in self.limits() if one.name == latency.name), None)

    def share(self, latency: Latency) -> float:
        """Return the share of requests at which a latency is taken."""
        return self.percentile if latency.percentile is None else latency.percentile

    def moved(self, limit: Limit, seconds: float | None) -> Slo:
        """Return the SLO with one of its limits at other seconds, or without it."""
        if not limit.is_further:
            shared: dict[str, Any] = {limit.metric: seconds}
            return replace(self, **shared)
        moved = ((name, seconds if name == limit.name else most) for name, most in self.further)
        return replace(self, further=tuple((name, most) for name, most in moved if most is not None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Everything a plan depends on, as typed. Empty tuples and None mean "not said": the default applies.

    `workload` is a shipped name or a path; `prompt` and `output` are percentiles (share, tokens) that stand in for one.
    `gpus`, `tp` and `splits` left empty are searched; of GPUs then those that the catalogue says. `prices` and `budget`
    are US dollars per (GPU-)hour; `price_terms` are the class that prices which nobody typed are of, from `price_list`
    or the shipped one. `max_power` are watts of the GPUs alone, `max_feed` those at the meter, made of them by
    `host_power`, watts of server and network for each GPU, and `pue`; `power_price` (US dollars per kWh) and `carbon`
    (grams per kWh) are its bill. `power_cap` are the most watts of each GPU, or "auto". `engine_overhead`, seconds a
    step, `front_end`, seconds a request, `api_token`, seconds of the API process for each output token, `max_num_seqs`,
    `token_budget`, `prompt_steps` and `kv_dtype`, the cache's, are the `engine`'s own at the level `tuning` where they
    are None; `token_budget` "auto" lets each pool choose. A step is by `step_law`, and by the own `fit` of that law
    where it knows the server. A replica is divided into one of `pp` stages of `tp` GPUs each. With `expert_parallel`
    every GPU of a replica holds some routed experts whole, with `attention_dp` sequences of its own; with `parallel`
    "auto" either is tried of experts, with "all" of attention, too; `speculative` says what drafts, `graph_bins` to
    what steps are padded. `dtype` "auto" lets each pool choose among bf16, fp8 and what is published. `max_gpus` are
    counts by GPU type, `max_total_gpus` that of all types; `whole_nodes` pays for whole ones. `gamma` is the (least,
    largest) Compress-and-Route factor that is searched, `compressible` the share of requests that can be compressed,
    measured where there is a `compressor`, whose processor cores are counted at `core_price` (US dollars per
    core-hour). `objective` is what the answer has least of, cost deciding between equals. With `availability`, the
    share of time that each of what fails is up (`availability_of`), or with `failures` and the mean seconds to `repair`
    one, pools get spare replicas until all that are needed are up for a share `availability_target` of the time; nodes
    of a `rack` go down as one. Every limit holds with any `survive` replicas of each pool down, and with `confidence`
    in that share of the cases over the error of the step times and the `ranges`, in whose middles inputs stand.
    `context` None is the longest request rounded up to 256. `verify` simulates until the half-width of each pool's P99
    TTFT is within `precision` of it. `arrivals` names a process: gamma:cv=2. `bounds` are those of a request's stay.
    With `prefix_cache` replicas keep prefixes that they computed, with `sessions` requests come in those of the
    workload; a share `batch_share` is of class batch and waits behind the others. `record` is what the workload's times
    show, `prefixes` what its prompts share, `rounds` its sessions: set where a question that needs them is worked on.
    With `length_error`, a coefficient of variation, the router guesses outputs. `name` is outside the digest.
    """

    workload: str | None = None
    prompt: tuple[tuple[float, float], ...] = ()
    output: tuple[tuple[float, float], ...] = ()
    output_share: OpenShare | None = None
    prefix_hit: Share = 0.0
    prefix_cache: bool = later(False)
    sessions: bool = later(False)
    drop_longer: bool = False
    demand: Demand = Demand()
    slo: Slo
    model: str = "llama-3.1-70b"
    dtype: DtypeChoice = "bf16"
    kv_dtype: CacheDtype | None = later(None)
    expert_parallel: bool = later(False)
    attention_dp: bool = later(False)
    parallel: Literal["auto", "all"] | None = later(None)
    speculative: str = later("")
    graph_bins: str = later("")
    engine: str = later("vllm")
    tuning: Tuning = later(STOCK)
    engine_overhead: NotNegative | None = None
    step_law: StepLaw = later("roofline")
    front_end: NotNegative | None = later(None)
    api_token: NotNegative | None = later(None)
    fit: Calibration | None = later(None)
    tp: tuple[int, ...] = ()
    pp: tuple[int, ...] = later((1,))
    gpus: tuple[str, ...] = ()
    prices: tuple[tuple[str, float], ...] = ()
    price_terms: PriceTerms | None = later(None)
    price_list: str | None = later(None)
    max_gpus: tuple[tuple[str, int], ...] = ()
    max_total_gpus: PositiveCount | None = None
    whole_nodes: bool = False
    budget: Positive | None = None
    max_power: Positive | None = None
    max_feed: Positive | None = later(None)
    power_cap: Positive | Literal["auto"] | None = later(None)
    host_power: NotNegative = later(630.0)
    pue: Annotated[float, checks.FROM_ONE] = later(1.3)
    power_price: Positive | None = later(None)
    carbon: Positive | None = later(None)
    objective: Objective = "cost"
    pools: tuple[int, ...] = (1, 2)
    splits: tuple[int, ...] = ()
    gamma: tuple[float, float] = (1.0, 1.0)
    compressible: Share = 1.0
    compressor: MeasuredShare | None = later(None)
    core_price: Positive | None = later(None)
    router: str = "length"
    router_refresh: Positive | None = later(None)
    length_error: Share | None = later(None)
    bounds: Bounds = later(Bounds())
    admission: str = "paged"
    max_num_seqs: PositiveCount | None = None
    token_budget: PositiveCount | Literal["auto"] | None = None
    prompt_steps: PromptSteps | None = later(None)
    context: PositiveCount | None = None
    max_utilization: OpenShare = 0.85
    headroom: ShareBelowOne = 0.0
    availability: OpenShare | None = None
    availability_of: FailingUnit = later("gpu")
    failures: Failures | None = later(None)
    repair: Positive | None = later(None)
    rack: Rack | None = later(None)
    survive: Annotated[int, checks.FROM_ZERO] = later(0)
    availability_target: OpenShare = 0.99
    confidence: Wished | None = later(None)
    ranges: tuple[TypedRange, ...] = later(())
    arrivals: str = "poisson"
    record: ArrivalRecord | None = later(None)
    prefixes: PrefixRecord | None = later(None)
    rounds: SessionRecord | None = later(None)
    batch_share: ClassShare | None = later(None)
    preset: Preset = "recommended"
    verify: bool = True
    precision: OpenShare = 0.05
    seed: Seed = 1
    name: str = ""

    def __post_init__(self) -> None:
        checks.fields(self)
        if self.fit is not None:
            question_checks.of_fit(self.fit, self.step_law, self.engine_overhead)
        question_checks.of_parallel(self)
        question_checks.of_speculation(self)
        question_checks.of_graph_bins(self)
        question_checks.of_prefixes(self)
        question_checks.of_prompt_steps(self)
        question_checks.of_sessions(self)
        question_checks.of_length_error(self)
        question_checks.of_failures(self)
        question_checks.of_bounds(self)
        question_checks.of_classes(self)
        question_checks.of_searches(self)
        question_checks.of_confidence(self)
        question_checks.of_ranges(self)
        question_checks.of_gamma(self.gamma, MOST_GAMMA)
        question_checks.of_core_price(self)
        if not self.pools or any(not 1 <= count <= MOST_POOLS for count in self.pools):
            raise InputError("no such number of pools", value=self.pools, accepted=f"1 to {MOST_POOLS}, or several")
        question_checks.of_splits(self.pools, self.splits)

    def fronted(self, served: Served) -> Served:
        """Return `served` behind the front end that the question types, its own where it types none."""
        return replace(
            served,
            front_end=served.front_end if self.front_end is None else self.front_end,
            api_token=served.api_token if self.api_token is None else self.api_token,
        )

    def fit_of(self, served: OfReplica) -> ServerFit | None:
        """Return what the own fit says of a replica of the question's engine, None where there is none of it."""
        return None if self.fit is None else self.fit.of(served, self.engine)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A question with its inputs pinned: the digests of the workload and of every profile that was searched."""

    question: Question
    workload: str
    profiles: tuple[str, ...]
    rate: float
    engine_version: int

    def __post_init__(self) -> None:
        measured = self.question.compressor
        assert measured is None or measured.is_known, f"nobody looked up the study {measured.study}"

    def named(self, name: str) -> Scenario:
        """Return the scenario with the question's name replaced; its digest is taken with the name left empty."""
        return replace(self, question=replace(self.question, name=name))
