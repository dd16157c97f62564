"""What goes into a simulation and what comes out of one replication of it. SI units: seconds, tokens, requests/s."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from fleettui.domain import checks
from fleettui.domain.arrivals import ArrivalRecord
from fleettui.domain.bounds import Bounds
from fleettui.domain.failing import SlowReplica
from fleettui.domain.features import Features
from fleettui.domain.limit import Latency
from fleettui.domain.link import Link
from fleettui.domain.prefixes import PrefixRecord
from fleettui.domain.serialization import later
from fleettui.domain.sessions import RoundSeen, SessionRecord
from fleettui.domain.storm import Storm
from fleettui.domain.workload import Atom

LOOK = 2**31 - 1
"""The index of the short look, whose streams no replication shares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolTraffic:
    """What the router sends to a pool: requests per second, and their (weight, prompt, output) atoms.

    Where prefixes are cached or requests come in sessions, `lengths` are the total tokens of what it is sent: above the
    first, up to the second; there `found` is the share of prompt tokens that caches find by formula. Where the router
    sends by class `batch_share` is the share of class batch in it, else None: that of all traffic.
    """

    arrival_rate: float
    atoms: tuple[Atom, ...]
    lengths: tuple[int, int] | None = later(None)
    found: float | None = later(None)
    batch_share: float | None = later(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeClasses:
    """What comes before a router that sends class batch to the last pool: the `pools`' parts of it by length alone.

    Each is of the stretch of time that asks most of its pool, in which all that comes is its place in `everything`.
    """

    pools: tuple[PoolTraffic, ...]
    everything: tuple[PoolTraffic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compressing:
    """What comes before a router that rewrites prompts: the `pools`' parts of it by length alone.

    A share of the requests up to `gamma` times the end of the next shorter pool is rewritten to fit there.
    """

    gamma: float
    share: float
    pools: tuple[PoolTraffic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What a fleet is asked for, one entry per pool in the fleet's order.

    `prefix_hit` is the share of every prompt that is cached already. With `concurrency` the arrivals are those of so
    many clients, each of which thinks for an exponential time of mean `think` after an answer; then only the
    ratios of the pools' arrival rates count. Without it they are those of the process `arrivals`, which may rest on
    what the workload's times show, its `record`. `bounds` are those of a request's stay. With `prefixes` the requests
    are theirs, in their order, replicas keep what they computed, and `prefix_hit` is but an estimate. A share
    `batch_share` of the requests is of class batch, which waits behind the others, the interactive ones. With
    `sessions` the process is that by which sessions begin, each one of theirs, so often that all rounds come at the
    pools' rates; replicas keep what they computed where it is said so, and find it in later rounds. The router guesses
    outputs with a coefficient of variation `length_error`, None where it knows them. `kv_offload` is the memory beside
    each GPU for what its prefix cache drops, or without one for the cache of preempted sequences, as a question says
    it, empty where they compute again; engines have the `features`. One replica of
    each pool may be `slow`. Where the router is `compressing`, or sends by class, `pools` are what it leaves to each of
    them; `before_classes` is what comes to the latter.
    """

    pools: tuple[PoolTraffic, ...]
    prefix_hit: float = 0.0
    concurrency: int | None = None
    think: float = 0.0
    arrivals: str = "poisson"
    record: ArrivalRecord | None = later(None)
    bounds: Bounds = later(Bounds())
    prefixes: PrefixRecord | None = later(None)
    batch_share: float = later(0.0)
    sessions: SessionRecord | None = later(None)
    keeps: bool = later(False)
    length_error: float | None = later(None)
    kv_offload: str = later("")
    features: Features = later(Features())
    slow: SlowReplica | None = later(None)
    compressing: Compressing | None = later(None)
    before_classes: BeforeClasses | None = later(None)

    @property
    def caches(self) -> bool:
        """Whether hits are a result of the simulation."""
        return self.prefixes is not None or self.keeps

    @property
    def rate(self) -> float:
        """Requests per second that all pools are asked for."""
        return sum(pool.arrival_rate for pool in self.pools)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLength:
    """How long a pool is simulated: requests to warm up with, and requests to measure after them.

    `relaxation` is τ, the seconds in which the queue forgets its past (model.md §7).
    """

    warm_up: int
    measured: int
    relaxation: float

    def __post_init__(self) -> None:
        checks.positive("measured requests", self.measured)

    @property
    def requests(self) -> int:
        """All requests of one replication."""
        return self.warm_up + self.measured

    def among(self, more: float) -> PoolLength:
        """Return the length counted among so many times the requests, those that are rewritten for others with them."""
        warm_up, measured = (math.ceil(round(count * more, 6)) for count in (self.warm_up, self.measured))
        return replace(self, warm_up=warm_up, measured=measured)


CELL_RATIO = 1.01
"""The ratio of the ends of a histogram's cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Counts of a metric's values in cells of 1 %: cell i holds values v with 1.01^i ≤ v < 1.01^(i+1), v in seconds.

    `cells` are (i, count) with count > 0, i rising; a value of zero is counted as the least that is told apart, 1e-6 s.
    """

    metric: str
    cells: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolRun:
    """One pool in one replication. Latencies are at the SLO's percentile over the measured requests, None if undefined.

    `offered` are the measured requests, `completed` those of them that were served, `rejected` those that were turned
    away and `timed_out` those whose clients left, both for good; `retried` came again, in so many `attempts` of all
    that were offered, 0 where none did. Latencies are those of the served; `over_offered` are (name, seconds)
    of each limited one over all the offered, where some were missed: None is later than any served. `attainment` is the
    share of the offered that kept every limit at that percentile, `may_miss` the share of them that may be missed, and
    `further` are (name, seconds) of the latencies that have a limit at another. `utilization` is the work that was done
    over full-batch capacity, `batch` the mean active sequences of a replica over time, `mfu` arithmetic over the
    datasheet's peak (None where the hardware is unknown), `preemptions` the times a sequence lost its blocks,
    `duration` the measured seconds. `spilled` are those of the offered that have the lengths of another pool,
    `misrouted` those that outgrew this one, so that another served the rest; `hit` is the share of prompt tokens that
    was found where prefixes are cached. Where some requests are of class batch, latencies are the interactive ones',
    those of class batch are among the `further`, and `attainments` are by class. `rounds` are those of sessions.
    `storm` is the worst span of the first run, where requests come again, `link` what went over each GPU's way to the
    memory beside it, where there is one.
    """

    name: str
    offered: int
    completed: int
    rejected: int
    ttft: float | None
    tpot: float | None
    e2e: float | None
    wait: float
    attainment: float
    utilization: float
    batch: float
    mfu: float | None
    preemptions: int
    duration: float
    throughput: float
    histograms: tuple[Histogram, ...] = ()
    further: tuple[tuple[str, float | None], ...] = later(())
    timed_out: int = later(0)
    retried: int = later(0)
    attempts: int = later(0)
    may_miss: float = later(0.0)
    over_offered: tuple[tuple[str, float | None], ...] = later(())
    spilled: int = later(0)
    misrouted: int = later(0)
    hit: float | None = later(None)
    attainments: tuple[tuple[str, float], ...] = later(())
    rounds: tuple[RoundSeen, ...] = later(())
    storm: Storm | None = later(None)
    link: Link | None = later(None)

    @property
    def missed(self) -> int:
        """The measured requests that were not served."""
        return self.rejected + self.timed_out

    def at(self, latency: Latency) -> float | None:
        """Return a latency in seconds, None where no request has it."""
        return latency.among(self, self.further, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replication:
    """One independent run of a fleet. `index` fixes its random streams together with the root seed.

    `requests` counts all simulated ones, warm-up included; `ttft` is the percentile of the fleet's mixture; `digest`
    is the SHA-256 of the latencies of every measured request.
    """

    index: int
    requests: int
    ttft: float | None
    attainment: float
    pools: tuple[PoolRun, ...]
    digest: str

    @property
    def bare(self) -> Replication:
        """The replication without its histograms, which are long and by which nothing is judged."""
        return replace(self, pools=tuple(replace(pool, histograms=()) for pool in self.pools))
