"""A fleet with replicas down: for as long as one looks, for a while and then back, and how often that is.

Seconds, replicas, shares.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from fleettui.domain import checks
from fleettui.domain.plan import Estimate, Verdict

NODE_DOWN = "a node down"
"""What the case is called in which the replicas of one node are down, where the fleet has one pool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowReplica:
    """The first replica of each pool at a share of its `speed` in steps that begin from `start` up to `end`, seconds.

    These count from the start of the run. Every step takes one over the share as long.
    """

    speed: checks.OpenShare
    start: Annotated[float, checks.FROM_ZERO] = 0.0
    end: float = math.inf

    def __post_init__(self) -> None:
        checks.fields(self)

    @property
    def pace(self) -> float:
        """What the seconds of a step are multiplied by."""
        return 1.0 / self.speed


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """So many replicas of each pool that are `down`, in the order of the fleet, and what that is called.

    They may be all that stand on one `node`. Where none is, one of each pool may be `slow`, at that share of its speed.
    """

    name: str
    down: tuple[int, ...]
    slow: float | None = None
    node: bool = False

    @property
    def place(self) -> int | None:
        """The place of the pool that all which are down are of; None where none is, or some of several pools."""
        places = [place for place, count in enumerate(self.down) if count]
        return places[0] if len(places) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Steady:
    """A fleet with replicas down throughout: the verdict on what is left, and whether it was `simulated`.

    `ttft` is that of the worst pool in seconds at the SLO's percentile, `limited` the latency of each limit, by its
    name, in the pool where it is longest, `met` the share of requests within every limit. `reason` is what decided, in
    a sentence.
    """

    verdict: Verdict
    simulated: bool
    ttft: Estimate
    met: Estimate
    limited: tuple[tuple[str, Estimate], ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """What runs show in which replicas fail at once with their requests and are back a while later; means over runs.

    Shares of the offered requests that kept every limit: `met` over the run, `inside` while they were down, `worst` of
    the worst 5 minutes, `change` of `inside` against the same requests without a failure. `waiting` is the most that
    waited at once; `recovered` the seconds from their return until no more were in the fleet than before, undefined
    where `unrecovered` runs ended first. Of all runs `offered` requests are `completed`, `rejected` for want of any
    replica, or `lost` with one.
    """

    met: Estimate
    inside: Estimate
    worst: Estimate
    change: Estimate
    ttft: Estimate
    waiting: Estimate
    recovered: Estimate
    unrecovered: int
    offered: int
    completed: int
    rejected: int
    lost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolCount:
    """Where a pool's requests of a run ended, `met` of the `offered` within every limit; (offered, met) of spans."""

    offered: int
    met: int
    rejected: int
    lost: int
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingRun:
    """A pool's run with replicas that fail as they come, and the same requests `without` a failure.

    `failures` is how often replicas went, `full` the share of the time in which none was down.
    """

    count: PoolCount
    without: PoolCount
    failures: int
    full: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AsTheyCome:
    """What runs of so many `seconds` show in which hardware fails at random; means over runs.

    Shares of the offered requests within every limit, over the run and in the worst 5 minutes, and without any failure;
    `change` run by run. `failures` are how often replicas of a pool went in a run, `full` the share of the time with
    none down, `expected` the same by the binomial form. The counts are of all runs.
    """

    seconds: float
    met: Estimate
    worst: Estimate
    without: Estimate
    without_worst: Estimate
    change: Estimate
    failures: Estimate
    full: Estimate
    expected: float
    offered: int
    completed: int
    rejected: int
    lost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """How often it comes to that.

    `no_more` is the share of time with no more down than in each case, of its pool where it is of one. `all_up` is the
    share of time in which all of each pool are up, `per_year` the failures of nodes or GPUs a year in each, `racks`
    those of its racks, empty where the question has none.
    """

    no_more: tuple[float, ...]
    all_up: tuple[float, ...]
    per_year: tuple[float, ...]
    racks: tuple[float, ...] = ()
