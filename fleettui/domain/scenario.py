"""The question, as a person puts it, and the scenario, which is the question with every input fixed by its digest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeVar, get_args

from fleettui.domain import checks, expert_load, kv_offload, layout, length_factors, question_checks
from fleettui.domain.arrivals import ArrivalRecord
from fleettui.domain.borderline import MOST_GAMMA
from fleettui.domain.bounds import Bounds
from fleettui.domain.calibration import Calibration, ServerFit
from fleettui.domain.checks import (
    NotNegative,
    OpenShare,
    Positive,
    PositiveCount,
    Range,
    Share,
    ShareAboveZero,
    ShareBelowOne,
)
from fleettui.domain.demand import OF_THE_TRACE, Demand
from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.engine_settings import PromptSteps
from fleettui.domain.failures import FailingUnit, Failures, Rack
from fleettui.domain.features import Features
from fleettui.domain.fleet import Fleet, PoolProfile
from fleettui.domain.hardware import STOCK, Profile, StepLaw, Tuning
from fleettui.domain.length_factors import AS_RECORDED, Lengths
from fleettui.domain.limit import ClassShare, Limit
from fleettui.domain.measured_share import MeasuredShare
from fleettui.domain.offers import PriceTerms
from fleettui.domain.prefixes import PrefixRecord
from fleettui.domain.replica import OfReplica
from fleettui.domain.serialization import later
from fleettui.domain.sessions import SessionRecord
from fleettui.domain.slo import Slo
from fleettui.domain.typed_range import HIT, TypedRange
from fleettui.domain.uncertain import Uncertain
from fleettui.errors import InputError

Served = TypeVar("Served", Profile, PoolProfile)
Preset = Literal["recommended", "paper"]
PRESETS: tuple[Preset, ...] = get_args(Preset)
DtypeChoice = Literal[Dtype, "auto"]
DTYPE_CHOICES: tuple[DtypeChoice, ...] = get_args(DtypeChoice)
Objective = Literal["cost", "gpus", "power", "energy", "ttft"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
ArchitectureChoice = Literal["together", "auto"]
ARCHITECTURE_CHOICES: tuple[ArchitectureChoice, ...] = get_args(ArchitectureChoice)
"""Replicas that do both, or these beside fleets whose prefill or attention is apart."""
EVERY_GPU = "all"
"""What stands for every GPU of the catalogue that has a price, or is given one."""
SERVER_FIELDS = (
    *("engine", "tuning", "engine_overhead", "front_end", "api_token", "memory_share"),
    "step_law",
    "fit",
    *(
        "kv_dtype",
        "expert_parallel",
        "parallel",
        "pp",
        "attention_dp",
        "layout",
        "speculative",
        "graph_bins",
        "expert_load",
    ),
)
"""Fields of a question, beside its model, on which the figures of every replica depend."""
MOST_POOLS = 4
LARGEST_SEED = 2**63 - 1
Seed = Annotated[int, Range(what="is no seed", accepted="a whole number from 0 to 2^63 - 1", low=0, high=LARGEST_SEED)]
Wished = Annotated[
    float,
    Range(what="is no confidence to size for", accepted="50% (step times as predicted) to 99.9%", low=0.5, high=0.999),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Everything a plan depends on, as typed. Empty tuples and None mean "not said": the default applies.

    `workload` is a shipped name or a path; `prompt` and `output` are percentiles (share, tokens) that stand in for one,
    `lengths` factors on the tokens of each request.
    `gpus`, `tp` and `splits` left empty are searched; of GPUs then those that the catalogue says. `prices` and `budget`
    are US dollars per (GPU-)hour; `price_terms` are the class that prices which nobody typed are of, from `price_list`
    or the shipped one. `max_power` are watts of the GPUs alone, `max_feed` those at the meter, made of them by
    `host_power`, watts of server and network for each GPU, and `pue`; `power_price` (US dollars per kWh) and `carbon`
    (grams per kWh) are its bill. `power_cap` are the most watts of each GPU, or "auto". `engine_overhead`, seconds a
    step, `front_end`, seconds a request, `api_token`, seconds of the API process for each output token, `max_num_seqs`,
    `token_budget`, `prompt_steps`, `memory_share`, of a GPU's memory, and `kv_dtype`, the cache's, are the `engine`'s
    own at the level `tuning` where they are None; `token_budget` "auto" lets each pool choose. A step is by `step_law`,
    and by the own `fit` of that law where it knows the server. A replica is divided into one of `pp` stages of `tp`
    GPUs each. With `expert_parallel` every GPU of a replica holds some routed experts whole, with `attention_dp`
    sequences of its own; with `parallel` "auto" either is tried of experts, with "all" of attention, too, in lanes of
    one GPU or several; `speculative` says what drafts, `graph_bins` to what steps are padded, `kv_offload` where the
    cache of preempted sequences is moved to, `features` what else a server has.
    What of these, of `router` and of `admission` is "auto" the plan searches for; with `architecture` "auto" it sizes
    fleets of the others to the same need, and says what they take. `dtype` "auto" lets each pool choose among bf16, fp8
    and what is published. `max_gpus` are counts by GPU type, `max_total_gpus` that of all types; `whole_nodes` pays for
    whole ones. `gamma` is the (least, largest) Compress-and-Route factor that is searched, `compressible` the share of
    requests that can be compressed, measured where there is a `compressor`, whose processor cores are counted at
    `core_price` (US dollars per core-hour). `objective` is what the answer has least of, cost deciding between equals.
    With `availability`, the share of time that each of what fails is up (`availability_of`), or with `failures` and the
    mean seconds to `repair` one, pools get spare replicas until all that are needed are up for a share
    `availability_target` of the time; nodes of a `rack` go down as one. With `shared_nodes`, which a joint plan's
    limits set, spares fill nodes, of which there are so many. Every limit holds with any `survive` replicas of each
    pool down, and with `confidence` in that share of the cases over the error of the step times and the `ranges`, in
    whose middles inputs stand. `context` None is the longest request rounded up to 256. `verify` simulates until the
    half-width of each pool's P99 TTFT is within `precision` of it. `arrivals` names a process: gamma:cv=2. `bounds` are
    those of a request's stay. With `prefix_cache` replicas keep prefixes that they computed, with `sessions` requests
    come in those of the workload; a share `batch_share` is of class batch and waits behind the others. `record` is what
    the workload's times show, `prefixes` what its prompts share, `rounds` its sessions: set where a question that needs
    them is worked on. With `length_error`, a coefficient of variation, the router guesses outputs; `expert_load` says
    how experts are chosen, `layout` how a stage is divided in both domains. `name` is outside the digest.
    """

    workload: str | None = None
    prompt: tuple[tuple[float, float], ...] = ()
    output: tuple[tuple[float, float], ...] = ()
    output_share: OpenShare | None = None
    prefix_hit: Share = 0.0
    prefix_cache: bool = later(False)
    sessions: bool = later(False)
    drop_longer: bool = False
    lengths: Lengths = later(AS_RECORDED)
    demand: Demand = OF_THE_TRACE
    slo: Slo
    model: str = "llama-3.1-70b"
    dtype: DtypeChoice = "bf16"
    kv_dtype: CacheDtype | None = later(None)
    expert_parallel: bool = later(False)
    attention_dp: bool = later(False)
    layout: str = later("")
    parallel: Literal["auto", "all"] | None = later(None)
    speculative: str = later("")
    graph_bins: str = later("")
    kv_offload: str = later("")
    features: Features = later(Features())
    expert_load: str = later("")
    engine: str = later("vllm")
    tuning: Tuning = later(STOCK)
    engine_overhead: NotNegative | None = None
    step_law: StepLaw = later("roofline")
    front_end: NotNegative | None = later(None)
    api_token: NotNegative | None = later(None)
    memory_share: ShareAboveZero | None = later(None)
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
    architecture: ArchitectureChoice = later("together")
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
    shared_nodes: bool = later(False)
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
        kv_offload.check(self)
        expert_load.check(self)
        layout.check(self)
        length_factors.check(self)
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

    def says_nothing_of_hits(self) -> bool:
        """Return whether prompts are taken to share nothing because nothing is said of what they share."""
        simulated = self.prefix_cache or self.sessions or self.length_error
        return self.prefix_hit == 0.0 and not simulated and all(one.key != HIT for one in self.ranges)

    def held_limits(self) -> tuple[Limit, ...]:
        """Return the limits with the wanted headroom taken off: what a fleet is held to."""
        room = 1.0 - self.headroom
        return tuple(replace(one, seconds=one.seconds * room) for one in self.slo.limits())

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

    def sets_aside(self, other: Uncertain, best: Uncertain) -> bool:
        """Return whether another is no rival of the best, of which much more is known.

        None is where a confidence is wished: what is sized for it pays for what is not known of it.
        """
        return self.confidence is None and best.known_better_than(other)

    def has_measured(self, fleet: Fleet) -> bool:
        """Return whether the own fit says something of every pool's replicas."""
        return all(self.fit_of(pool) is not None for pool in fleet.pools)


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
