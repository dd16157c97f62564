"""A fleet under caps on its power: what it then draws, how long requests take, and its energy against its load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Candidate, Estimate

CapKind = Literal["clock", "batch"]
"""What falls so that less is drawn: the GPUs' clock, or the sequences that a replica runs at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLevel:
    """A fleet under one cap, by formula. Latencies are of the worst pool in seconds, None where a queue has no end.

    `share` is what each GPU may draw of its limit under a cap on the clock, and what runs at once of what could under
    one on the batch; `sequences` are those of the largest pool's replica, None under a clock's. `watts` are of all
    GPUs, `nominal` their limits together. `latencies` are those that the question limits, in its order.
    """

    kind: CapKind
    share: float
    sequences: int | None
    watts: float
    nominal: float
    ttft: float | None
    tpot: float | None
    latencies: tuple[float | None, ...]
    utilization: float
    output_rate: float
    extrapolated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CappedFleet:
    """A fleet whose GPUs are capped, and the hardware that they then are."""

    fleet: Fleet
    profiles: tuple[Profile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenLevel:
    """The deepest cap on the clock at which a fleet kept its limits as simulated, and what the runs showed.

    `tried` are the shares of the limit that were simulated, in order; without `share` none of them held.
    """

    share: float | None
    ttft: float | None
    tpot: float | None
    tried: tuple[float, ...]
    runs: int
    reason: str = ""

    def held(self, share: float) -> bool:
        """Return whether one of the `tried` held: only after a cap that held is a deeper one tried.

        >>> two = ProvenLevel(share=0.86, ttft=0.4, tpot=None, tried=(0.88, 0.86, 0.84), runs=10)
        >>> [two.held(one) for one in two.tried]
        [True, True, False]
        """
        return self.share is not None and share >= self.share


@dataclass(frozen=True, slots=True, kw_only=True)
class EnergyPoint:
    """A fleet at a share of the plan's rate, by formula: watts of its GPUs, output tokens and requests a second.

    `utilization` is that of its busiest pool.
    """

    fleet: Fleet
    share: float
    rate: float
    watts: float
    output_rate: float
    utilization: float
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CapChoice:
    """The cheapest fleet with each GPU capped at `watts`, a `share` of its limit, as the formulas have it."""

    share: float
    watts: float
    candidate: Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowLevel:
    """A level that was played for a while, and then none: what came in it and until the fleet had recovered.

    `met` is the share of that within every limit, `recovery` the seconds that it took after, undefined where a run
    ended first, and `waiting` the most that waited at once.
    """

    level: PowerLevel
    met: float
    recovery: Estimate
    waiting: float
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The levels that were played for so many `seconds`, in as many `runs` each, by clock and by batch."""

    seconds: float
    runs: int
    clocks: tuple[WindowLevel, ...]
    batches: tuple[WindowLevel, ...]

    def deepest(self, kind: CapKind) -> WindowLevel | None:
        """Return the deepest level that held, None where none did."""
        played = self.clocks if kind == "clock" else self.batches
        return min((one for one in played if one.holds), key=lambda one: one.level.share, default=None)
