"""What goes into a simulation and what comes out of one replication of it. SI units: seconds, tokens, requests/s."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain import checks
from fleettui.domain.arrivals import ArrivalRecord
from fleettui.domain.limit import Latency
from fleettui.domain.serialization import later
from fleettui.domain.workload import Atom


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolTraffic:
    """What the router sends to a pool: requests per second, and their (weight, prompt, output) atoms."""

    arrival_rate: float
    atoms: tuple[Atom, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What a fleet is asked for, one entry per pool in the fleet's order.

    `prefix_hit` is the share of every prompt that is cached already. With `concurrency` the arrivals are those of so
    many clients, each of which thinks for an exponential time of mean `think` after an answer; then only the
    ratios of the pools' arrival rates count. Without it they are those of the process `arrivals`, which may rest on
    what the workload's times show, its `record`.
    """

    pools: tuple[PoolTraffic, ...]
    prefix_hit: float = 0.0
    concurrency: int | None = None
    think: float = 0.0
    arrivals: str = "poisson"
    record: ArrivalRecord | None = later(None)

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

    `offered` are the measured requests, `completed` those of them that were served and `rejected` those that were
    not; `attainment` is the share of the offered that kept every limit at that percentile, and `further` are (name,
    seconds) of the latencies that have a limit at another. `utilization` is offered work over full-batch capacity,
    `batch` the mean active sequences of a replica over time, `mfu` arithmetic over the datasheet's peak (None where the
    hardware is unknown), `preemptions` the times a sequence lost its blocks, `duration` the measured seconds.
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
