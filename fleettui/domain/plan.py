"""The answer: candidates with their pools' figures, the evidence for them, and the plan that holds them all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from fleettui.domain.confidence import Confidence
from fleettui.domain.decisive import Decisive
from fleettui.domain.demand import DerivedDemand
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Tuning
from fleettui.domain.limit import Latency
from fleettui.domain.link import Link
from fleettui.domain.redundancy import Redundancy
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import later
from fleettui.domain.sessions import RoundSeen
from fleettui.domain.stock import Stock
from fleettui.domain.storm import Storm
from fleettui.domain.uncertain import Factors, Uncertain

ENGINE_VERSION = 33
"""Raised by hand whenever a number in an answer may change, with a line in `engine_changes`; a golden test fails when
someone forgets."""

LEAST_RUNS = 10
"""Replications that a pass takes; more are made in rounds that end at multiples of it."""
MOST_RUNS = 100
"""Replications of one fleet after which no more are made: what is not proven then lies at its limit."""

WITHOUT, MAY_BE_CHEAPER, TOGETHER = "next without ", " may be cheaper: ", " with "
"""How reasons that compare GPU types begin, or go on after them, and what stands between those of one fleet."""

OF_BUDGETS, OF_DIVISIONS = "--token-budget auto: ", "--parallel "
"""How reasons begin that say what the search chose of the settings that were left to it."""

OF_ARRIVALS = "arrivals: "
"""How the reason begins that says what arrivals other than Poisson's are, which holds for every fleet."""

UNKNOWN_PAIRING = "how lengths pair is unknown"
"""How the warning begins that says what the unknown pairing of prompts and outputs changes in an answer."""

TUNED_AS: dict[Tuning, str] = {
    "stock": "as it comes",
    "tuned": "tuned as its guide says",
    "benchmark": "as benchmark submissions set it",
}
"""What stands behind the engine's name in the reason that says how it is set."""

UNSTABLE_TAIL = "unstable tail: "
"""How the reason begins why no run that may be made is long enough to tell a tail."""

ASKED_BY_FORMULA = ": the formula asks for "
"""What stands behind a pool's name in the reason that says where the formula would have put it."""

AT_POSTED_PRICES = "posted prices: "
"""What the warning begins with that another fleet may be cheaper than the answer."""

Verdict = Literal["pass", "fail", "unproven", "infeasible"]


def compares_gpus(reason: str) -> bool:
    """Return whether a reason says what there is beside the answer's GPU types, which holds for all fleets of them."""
    return reason.startswith(WITHOUT) or MAY_BE_CHEAPER in reason


def saves(warning: str) -> bool:
    """Return whether a warning is no risk, but says what another price or another setting would save.

    >>> saves("vllm as benchmark submissions set it: ~1 GPU fewer, --tuning benchmark")
    True
    """
    return warning.startswith(AT_POSTED_PRICES) or any(f" {words}" in warning for words in TUNED_AS.values())


def only_describes(reason: str) -> bool:
    """Return whether a reason says how things are, and nothing that would change the answer."""
    return ASKED_BY_FORMULA in reason or any(f" {words}: " in reason for words in TUNED_AS.values())


def cheaper_gpus(reason: str) -> tuple[str, ...]:
    """Return the GPU types of which a reason says that they may be cheaper, none where it says no such thing.

    Kept plans may still say "a100 or mi300x" of a fleet of both.

    >>> cheaper_gpus("a100 with mi300x may be cheaper: $103.48/h")
    ('a100', 'mi300x')
    """
    gpus, told, _ = reason.partition(MAY_BE_CHEAPER)
    return tuple(gpus.replace(" or ", TOGETHER).split(TOGETHER)) if told else ()


def compares_settings(reason: str) -> bool:
    """Return whether a reason says what settings save that were left to the search."""
    return reason.startswith((OF_BUDGETS, OF_DIVISIONS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A value with the ends of its 95 % interval; a formula gives no interval, so its ends are None."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFigures:
    """A pool as the formulas see it. Latencies are seconds at the SLO's percentile, over the pool's own requests.

    `further` are (name, seconds) of the latencies that have a limit at a percentile of their own.
    `batch` is the mean number of active sequences over time, `mfu` and `bandwidth_use` shares of the datasheet
    peak, `longest_step` the step with a full prompt chunk (the longest gap between two tokens), `power` watts of
    the whole pool, `limited_by` what keeps the pool from being smaller, and `margin` how far that is from its
    limit as a share of it. `api_use` is the share of time that a replica's API process hands out output tokens.
    """

    name: str
    arrival_rate: float
    utilization: float
    batch: float
    probability_of_wait: float
    wait: float
    prefill: float
    ttft: float
    tpot: float
    e2e: float
    mfu: float
    bandwidth_use: float
    longest_step: float
    power: float
    limited_by: str
    margin: float
    further: tuple[tuple[str, float], ...] = later(())
    api_use: float = later(0.0)

    def at(self, latency: Latency) -> float:
        """Return a latency in seconds, NaN for one that had no limit when this was worked out."""
        return latency.among(self, self.further, math.nan)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolEvidence:
    """What was seen of one pool by the evidence's method; latencies at the SLO's percentile, `further` at their own.

    `mfu` is None where only the formula has looked or the hardware is unknown; `preemptions` are per 1,000 requests.
    `rejected` were turned away and of `timed_out` the clients left, of so many `offered`, which are counted where a
    request's stay is bounded; `retried` came again, in so many `attempts` of all, 0 where none did. `hit` is the share
    of prompt tokens that was found where prefixes are cached, `misrouted` that of requests which outgrew the pool.
    `attainments` are the shares of each class that kept all its limits, where some requests are of class batch.
    `rounds` are what it was asked for by round, where requests come in sessions, `storm` the worst span of the first
    run, where they come again, `link` what went over each GPU's way to the memory beside it, where there is one.
    `verdict` is on this pool alone, None where nothing is said of it, as by a short look that does not condemn it.
    """

    name: str
    ttft: Estimate
    tpot: Estimate
    e2e: Estimate = Estimate(value=None)
    utilization: float
    batch: float
    mfu: float | None = None
    preemptions: float = 0.0
    rejected: int = 0
    verdict: Verdict | None = None
    further: tuple[tuple[str, Estimate], ...] = later(())
    timed_out: int = later(0)
    retried: int = later(0)
    attempts: int = later(0)
    offered: int = later(0)
    hit: float | None = later(None)
    misrouted: float | None = later(None)
    attainments: tuple[tuple[str, Estimate], ...] = later(())
    rounds: tuple[RoundSeen, ...] = later(())
    storm: Storm | None = later(None)
    link: Link | None = later(None)

    def at(self, latency: Latency) -> Estimate:
        """Return a latency as it was estimated, undefined for one that had no limit when this was seen."""
        return latency.among(self, self.further, Estimate(value=None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Why the verdict is what it is. `ttft` is the quantile of the fleet's mixture and decides nothing.

    `reason` is what decided, in a sentence; `seed` the root of a simulation's draws and `precision` the half-width of
    each pool's TTFT, as a share of it, that was asked for.
    """

    method: Literal["formula", "simulation"]
    verdict: Verdict
    reason: str = ""
    replications: int = 0
    requests: int = 0
    seed: int | None = None
    precision: float | None = None
    ttft: Estimate
    attainment: Estimate
    pools: tuple[PoolEvidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(Uncertain):
    """A fleet that the search hands out whole.

    `shortfalls` says which limits it breaks by formula, and is empty where it breaks none; what a simulation showed is
    in `evidence`.

    `model_error` and `band` are the widest of its pools' profiles, and `speeds` is how that one's are known;
    `gpus_range` is at the band's ends. `compressor_cost` are US dollars per hour of the prompt compressor's processor
    cores, beside `cost_per_hour`, which is the GPUs'; 0 where they have no price.
    """

    candidate: str = ""
    handle: str = ""
    gpus: int
    cost_per_hour: float
    cost_per_million_output_tokens: float
    power: float
    gpus_range: tuple[int | None, int | None]
    model_error: float
    fleet: Fleet
    pools: tuple[PoolFigures, ...]
    shortfalls: tuple[str, ...] = ()
    evidence: Evidence | None = None
    band: Factors | None = later(None)
    speeds: str = later("")
    compressor_cost: float = later(0.0)

    @property
    def simulation(self) -> Evidence | None:
        """What a simulation saw of it, None where only the formula has looked."""
        return self.evidence if self.evidence is not None and self.evidence.method == "simulation" else None

    @property
    def simulated_pools(self) -> tuple[PoolEvidence, ...]:
        """What a simulation saw of each pool, nothing where only the formula has looked."""
        return () if self.simulation is None else self.simulation.pools

    @property
    def busiest(self) -> PoolFigures:
        """The pool that the formula has busiest, the first of equals."""
        return max(self.pools, key=lambda pool: pool.utilization)

    @property
    def may_hold(self) -> bool:
        """Whether it breaks no limit by formula, and no simulation showed that it does."""
        return not self.shortfalls and (self.simulation is None or self.simulation.verdict != "fail")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanIdentity:
    """How a plan is found again. `handle` is what people type."""

    id: str = ""
    handle: str = ""
    name: str = ""
    scenario: str = ""
    engine_version: int = ENGINE_VERSION
    seed: int = 1
    created: str = ""

    @property
    def called(self) -> str:
        """Its name, its handle where it has none."""
        return self.name or self.handle

    @property
    def full_name(self) -> str:
        """Its handle, and its name where it has one."""
        return f"{self.handle} {self.name}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """How many fleets a bound left out, by topology and reason; they are counted, not kept."""

    topology: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A fleet that was simulated under a plan's question, at a `rate` in requests/s; its evidence is in the candidate.

    One that would be busier than it may be is looked at by formula alone.
    """

    rate: float
    candidate: Candidate

    @property
    def sizes(self) -> tuple[int, ...]:
        """The replicas of each pool."""
        return tuple(pool.replicas for pool in self.candidate.fleet.pools)

    @property
    def evidence(self) -> Evidence:
        """What the simulation showed."""
        assert self.candidate.evidence is not None, "it was looked at"
        return self.candidate.evidence

    @property
    def holds(self) -> bool:
        """Whether every pool passes."""
        return self.evidence.verdict == "pass"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a question came to. `answer` is None when the verdict is infeasible; the nearest are in `candidates`.

    `confidence` is how sure the answer's size is, by the formulas as its simulations correct them, None where none did;
    the answer's `gpus_range` then is by them too. `redundancy` is how it stands failures, None where none were asked of
    and in a closed loop. `decides` is the guessed or default input that moves its size most. `stock` is what is spare
    or short of a fleet that was given, None for one that was searched for; `looks` are what else was simulated of it.
    `so_far` is what was found of a plan that is not finished, empty before anything was. `advised_budget` is the token
    budget that one of its warnings advises. Only until it is finished one made beside others no longer `advises`.
    """

    verdict: Verdict
    plan: PlanIdentity = PlanIdentity()
    demand: DerivedDemand
    answer: Candidate | None
    why: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    warnings: tuple[str, ...] = ()
    confidence: Confidence | None = later(None)
    redundancy: Redundancy | None = later(None)
    decides: Decisive | None = later(None)
    stock: Stock | None = later(None)
    looks: tuple[Look, ...] = later(())
    so_far: str = later("")
    advised_budget: int | None = later(None)
    advises: bool = later(True)

    @property
    def simulation(self) -> Evidence | None:
        """What a simulation saw of the fleet that it came to."""
        return None if self.answer is None else self.answer.simulation


def was_searched(answer: Answer, question: Question) -> bool:
    """Return whether an answer was searched for; a fleet that somebody wrote down, and had simulated, was not."""
    return bool(question.gpus or answer.excluded) or len(answer.candidates) > 1 or answer.answer is None
