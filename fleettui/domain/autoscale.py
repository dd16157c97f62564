"""Capacity over time: what a policy is told, how long a replica takes to start, and what a replay of it came to.

Seconds, requests per second, replicas; slots are requests in service.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from fleettui.domain import checks
from fleettui.domain.bounds import MOST_RETRIES, Bounds
from fleettui.domain.day import Day
from fleettui.domain.plan import Estimate
from fleettui.domain.simulation import Histogram
from fleettui.errors import InputError

SPAN = 300.0
"""Seconds of the spans whose worst is told."""
QUEUE, BACKOFF = 200, 1.0
"""Requests that may wait at a replica, and seconds until who is turned away comes again, where nobody says so."""
MOST_REPLICAS = 1 << 14
"""Replicas that a pool may be bounded by: each that it may have takes memory, whether or not it is ever there."""
LEAST = checks.Range(
    what="is no bound of a pool", accepted=f"0 to {MOST_REPLICAS:,} replicas", low=0, high=MOST_REPLICAS
)
MOST = checks.Range(
    what="is no bound of a pool", accepted=f"1 to {MOST_REPLICAS:,} replicas", low=1, high=MOST_REPLICAS
)
RETRIES = checks.Range(what="must have a limit", accepted=f"0 to {MOST_RETRIES}", low=0, high=MOST_RETRIES)
TARGET = checks.Range(
    what="is no share of a replica's full load", accepted="above 0%, up to 100%", low=0, high=1, open="low"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """How long a replica takes from its launch to its first request; `typed` in all, or by its stages.

    A `node` is got, an `image` pulled, the weights read at `load_rate` bytes per second, and the engine warmed up
    (compiled, its graphs captured). With a coefficient of variation `cv` each launch takes its own time, lognormal
    about that.
    """

    typed: Annotated[float | None, checks.FROM_ZERO] = None
    node: checks.NotNegative = 180.0
    image: checks.NotNegative = 15.0
    load_rate: checks.Positive = 1e9
    warm_up: checks.NotNegative = 140.0
    cv: checks.NotNegative = 0.0

    def __post_init__(self) -> None:
        checks.fields(self)

    def seconds(self, weights: float) -> float:
        """Return the delay of a replica whose weights are so many bytes, the mean one.

        >>> Delay().seconds(141e9), Delay(typed=300.0).seconds(141e9)
        (476.0, 300.0)
        """
        if self.typed is not None:
            return self.typed
        return self.node + self.image + weights / self.load_rate + self.warm_up


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What policies are set to, and what bounds them all.

    Every `cycle` seconds each decides. `beta` is the estimator's headroom in square roots of the load, `step` the
    replicas a minute by which it falls, not for `hold` seconds after it rose, `buffer` the replicas that it holds
    beyond what it estimates; `target` the share of a replica's full load that the others keep. At most
    `queue` requests wait at a replica; `least` and `most` replicas bound each pool, `most` None for twice what the peak
    needs. With a `least` of none, policies that can let a pool go altogether when nothing comes.
    A request that is turned away comes again `retries` times at most, about `backoff` seconds later, and twice as late
    each further time. A replica at which more than `exclude` wait at the end of a cycle gets no more until nobody does,
    None where none is left out. What of `queue`, `retries` and `backoff` is None is as in the plan.
    """

    cycle: checks.Positive = 15.0
    beta: checks.NotNegative = 1.5
    step: checks.Positive = 1.0
    target: Annotated[float, TARGET] = 0.7
    buffer: Annotated[int, checks.FROM_ZERO] = 0
    hold: checks.NotNegative = 0.0
    queue: Annotated[int | None, checks.FROM_ZERO] = None
    least: Annotated[int, LEAST] = 1
    most: Annotated[int | None, MOST] = None
    retries: Annotated[int | None, RETRIES] = None
    backoff: Annotated[float | None, checks.ABOVE_ZERO] = None
    exclude: Annotated[int | None, checks.FROM_ZERO] = None

    def __post_init__(self) -> None:
        checks.fields(self)
        if self.most is not None and self.most < self.least:
            raise InputError(
                "the most replicas are fewer than the least",
                value=f"{self.least} to {self.most}",
                remedy="give --max at least as many as --min",
            )

    def beside(self, plan: Bounds) -> Rules:
        """Return them with what they leave to the plan, or to what is usual where the plan says nothing either.

        >>> Rules().beside(Bounds()).queue, Rules().beside(Bounds(queue=50)).queue
        (200, 50)
        """
        queue = QUEUE if plan.queue is None and plan.timeout is None else plan.queue
        return replace(
            self,
            queue=queue if self.queue is None else self.queue,
            retries=(plan.retries or 0) if self.retries is None else self.retries,
            backoff=(plan.backoff or BACKOFF) if self.backoff is None else self.backoff,
        )


EventKind = Literal["spike", "prompts", "hits", "slow", "loss", "reclaim", "failed"]
SLOWER = checks.Range(what="must be above 1", accepted="above 1: 2x", low=1, open="low")
EVENTS: dict[EventKind, tuple[str, checks.Range]] = {
    "spike": ("how many times the rate", checks.ABOVE_ZERO),
    "prompts": ("how many times as long prompts are", checks.ABOVE_ZERO),
    "hits": ("the share of hits that is left", checks.BELOW_ONE),
    "slow": ("how many times as long its steps take", SLOWER),
    "loss": ("the share that is lost", checks.OPEN_SHARE),
    "reclaim": ("the share that is taken back", checks.OPEN_SHARE),
    "failed": ("the share of launches that fail", checks.OPEN_SHARE),
}
"""What the size of each kind of event is, and may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that nobody foresees, `start` seconds into the day and, but for a loss, for `seconds`.

    For that long a `spike` brings `size` times the rate, `prompts` are `size` times as long, of the `hits` of a cache
    the share `size` is left, the steps of the first replica are `size` times as `slow`, and of the launches that begin
    the share `size` has `failed` when it should be ready, and begins anew. A `loss` takes the share `size` of the
    replicas that serve at once, with the requests at them. A `reclaim` does so `seconds` after a warning, from which on
    they get no more requests.
    """

    kind: EventKind
    start: checks.NotNegative
    size: checks.NotNegative
    seconds: checks.NotNegative = 0.0

    def __post_init__(self) -> None:
        checks.fields(self)
        named, kind = EVENTS[self.kind]
        kind.check(named, self.size)
        if self.kind != "loss":
            checks.positive("how long it lasts", self.seconds)

    @property
    def end(self) -> float:
        """When it is over, seconds into the day."""
        return self.start + self.seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A pool as a policy knows it.

    At full load, the most that it holds, a replica serves `replica_rate` requests per second, `slots` of them at once
    on average, each for `service_time`. `delay` is how long one takes to start on average, with a coefficient of
    variation `delay_cv`. `day` is the traffic that comes to the pool, which only who is told may look at, `foreseen`
    what is expected of it where that is another. `events` are all but those of the rate, which are in `day`. A client
    waits `patience` seconds for its first token, for ever where that is None.
    """

    slots: float
    service_time: float
    replica_rate: float
    delay: float
    least: int
    most: int
    rules: Rules
    day: Day
    foreseen: Day | None = None
    events: tuple[Event, ...] = ()
    delay_cv: float = 0.0
    patience: float | None = None

    @property
    def expected(self) -> Day:
        """The traffic by which a constant fleet is sized."""
        return self.foreseen or self.day

    def replicas(self, rate: float) -> float:
        """Return how many replicas a rate fills at full load; no whole number."""
        return rate / self.replica_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Staffing:
    """An hour of traffic as the formulas staff it: `load` slots, `replicas` for it and its headroom.

    `wait` is the probability that a request waits by Erlang C, `halfin_whitt` the same by its limit for large fleets.
    """

    start: float
    rate: float
    load: float
    replicas: int
    wait: float
    halfin_whitt: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSite:
    """A pool of a plan's fleet on a day: its name, the GPUs of a replica, US dollars an hour for each, and its site.

    `staffing` is what the formulas ask for hour by hour.
    """

    name: str
    gpus: int
    price: float
    site: Site
    staffing: tuple[Staffing, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a policy wanted from a moment on, in replicas, and why."""

    moment: float
    target: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolReplay:
    """A pool's day under a policy.

    `spans` are (offered, met) of each SPAN: the requests that arrived in it, and those of them that were served within
    every limit; those at replicas that were lost are `lost`, those whose clients left for good `left`. All came in so
    many `attempts`. `paid` are the replicas
    that are paid for in each span, on average. `billed` are replica-seconds in all,
    `ideal` those that the rate fills at full load, `least` those below which no fleet serves within the day what was
    served there within every limit, `over` those paid for above the ideal, `under` those that serve below it.
    `ups` and `downs` count changes of the target, `flaps` those that turn back within ten minutes.
    """

    name: str
    offered: int
    rejected: int
    met: int
    lost: int
    attempts: int
    ttft: Histogram
    spans: tuple[tuple[int, int], ...]
    paid: tuple[float, ...]
    billed: float
    ideal: float
    least: float
    over: float
    under: float
    ups: int
    downs: int
    flaps: int
    choices: tuple[Choice, ...] = ()
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFigures:
    """What a policy came to over the runs: means with the ends of their intervals over the runs.

    `gpu_hours` and `cost_per_hour` (US dollars, the mean over the day) are what is paid; `met` is the share of the
    offered requests that were served within every limit, `worst` that of the worst SPAN; `ttft` seconds at the SLO's
    percentile of what was served; `rejected`, `left` (their clients did, for good) and `lost` shares of the offered,
    which came in `attempts` each; `over` and `under` GPU-hours; `least` those below which no fleet serves what was
    served within every limit; `changes` and `flaps` a day; `missed` the longest seconds on end in which spans fell
    short of the SLO, `recovered` the seconds from the first event to the end of the spans that it spoilt, undefined
    without one. The changes are to the policy that all are held to, run by run. Of the first run, in spans: `by_pool`
    the GPUs of each pool that are paid for, and `spans` the requests of all pools, offered and within limits. `choices`
    are each pool's.
    """

    policy: str
    gpu_hours: Estimate
    cost_per_hour: Estimate
    met: Estimate
    worst: Estimate
    ttft: Estimate
    rejected: Estimate
    left: Estimate
    lost: Estimate
    attempts: Estimate
    over: Estimate
    under: Estimate
    least: Estimate
    changes: Estimate
    flaps: Estimate
    missed: Estimate
    recovered: Estimate
    cost_change: Estimate
    met_change: Estimate
    by_pool: tuple[tuple[float, ...], ...]
    spans: tuple[tuple[int, int], ...] = ()
    choices: tuple[tuple[Choice, ...], ...] = ()

    @property
    def gpus(self) -> tuple[float, ...]:
        """The GPUs of all pools that are paid for over time."""
        return tuple(map(sum, zip(*self.by_pool, strict=True)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """A policy whose rules were tuned on the first half of a day, and what came of it on the second.

    `chosen` are the rules and their values, with the figures `tuned` of the first half; `judged` are those of the
    second half, and `as_given` those of the second half with the values that were `given`.
    """

    chosen: tuple[tuple[str, float], ...]
    given: tuple[tuple[str, float], ...]
    tuned: PolicyFigures
    judged: PolicyFigures
    as_given: PolicyFigures
