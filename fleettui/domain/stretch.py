"""A stretch of time with a window in which something differs, such as a burst, and what a fleet went through in it.

Seconds count from when a run is warm; requests per second, replicas.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fleettui.domain import checks
from fleettui.domain.plan import Estimate
from fleettui.domain.simulation import Histogram
from fleettui.errors import InputError

SPAN = 300.0
"""Seconds of the spans whose worst is told."""
PHASES = ("before", "inside", "recovering", "after")
"""The parts of a stretch: up to its window, in it, until every pool's backlog has cleared, and from then on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """A window of `seconds` from `start` on with `factor` times the rate and `down` replicas of each pool away.

    Those that are away finish what they have, or lose it where they are `lost`, and are back when the window ends. What
    comes in it has `prompts` times the prompt tokens and `outputs` times the output tokens, and a replica runs at most
    `batch` sequences at once where that is said; each GPU draws at most the share `cap` of its limit, where that is
    said, by a slower clock; one replica of each pool is at the share `slow` of its speed. The run goes on up to `end`.
    Raises InputError for a window that is not within the run.
    """

    factor: checks.Positive
    seconds: checks.Positive
    start: checks.Positive
    end: checks.Positive
    down: Annotated[int, checks.FROM_ZERO] = 0
    lost: bool = False
    prompts: checks.Positive = 1.0
    outputs: checks.Positive = 1.0
    batch: checks.PositiveCount | None = None
    cap: checks.OpenShare | None = None
    slow: checks.OpenShare | None = None

    def __post_init__(self) -> None:
        checks.fields(self)
        if self.over >= self.end:
            raise InputError(
                "the run ends before the window does",
                where="--over",
                value=f"{self.end:g}s",
                accepted=f"above {self.over:g}s",
                remedy="leave --over out, or give a longer one",
            )

    @property
    def over(self) -> float:
        """When the window ends."""
        return self.start + self.seconds

    @property
    def idle(self) -> bool:
        """Whether the window changes nothing."""
        same = self.factor == self.prompts == self.outputs == 1.0 and not self.down
        return same and self.batch is self.cap is self.slow is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """From `moment` on, seconds since the run began, requests are sent to so many replicas.

    The requests at those that go are lost with them where they are `lost`; else they are finished. A replica runs at
    most so many sequences at once from then on, its `places`, where that is said. From then on its GPUs are `slower`,
    or as they were.
    """

    moment: float
    serving: int
    lost: bool = False
    places: int | None = None
    slower: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """What arrived in a part of a stretch that took so many `seconds`: `met` of the `offered` kept every limit.

    Who was lost when replicas failed counts in the part in which that was, whenever it had come.
    """

    seconds: float
    offered: int
    met: int
    ttft: Histogram
    tpot: Histogram


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """What arrived in a short time: how many, how many kept every limit, the most that waited at once, and the TTFT.

    That is in seconds at the SLO's percentile, None where nobody had one.
    """

    offered: int
    met: int
    waiting: int
    ttft: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolStretch:
    """A pool's run: the fleet's phases in the order of PHASES, its bins, and (offered, met) of each SPAN.

    `waiting` is the most that waited at once from the window's start on. `recovered` are the seconds from the window's
    end until no more requests were in the pool than on average before the window, None where the run ended first.
    Of what arrived in the phases, `rejected` found no replica, and `lost` were at one that failed.
    """

    name: str
    phases: tuple[Phase, ...]
    bins: tuple[Bin, ...]
    spans: tuple[tuple[int, int], ...]
    waiting: int
    recovered: float | None
    rejected: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseFigures:
    """A phase of the whole fleet over the runs: means with the ends of their intervals, undefined where nothing came.

    `rate` is what came per second, `met` the share of it within every limit; latencies at the SLO's percentile.
    """

    name: str
    seconds: Estimate
    rate: Estimate
    met: Estimate
    ttft: Estimate
    tpot: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFigures:
    """A pool, or all of them, over the runs: the most that waited at once, and the seconds that recovery took.

    `recovered` is undefined where a run ended before it, as `unrecovered` of them did.
    """

    name: str
    waiting: Estimate
    recovered: Estimate
    unrecovered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What the runs show on average from `start` on: requests per second, waiting ones, TTFT, the share in the SLO."""

    start: float
    rate: float
    waiting: float
    ttft: float | None
    met: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StretchFigures:
    """What a fleet went through, over the runs; the last of the `pools` is the whole fleet where it has several.

    `worst` is the share within every limit of the worst SPAN.
    """

    phases: tuple[PhaseFigures, ...]
    pools: tuple[PoolFigures, ...]
    worst: Estimate
    moments: tuple[Moment, ...]
