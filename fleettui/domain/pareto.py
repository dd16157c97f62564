"""The trade between cost and latency: the best fleet for each objective, and the fleets that no other beats in both."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.fleet import Fleet
from fleettui.domain.scenario import Objective


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A fleet with what it is weighed by, all by formula.

    `cost` is in US dollars an hour, `power` in watts, `ttft` and `tpot` in seconds at the SLO's percentile in the worst
    pool; `tokens_per_joule` are output tokens per second over watts.
    """

    fleet: Fleet
    cost: float
    power: float
    ttft: float
    tpot: float
    tokens_per_joule: float

    @property
    def gpus(self) -> int:
        """GPUs in the fleet."""
        return self.fleet.gpus


@dataclass(frozen=True, slots=True, kw_only=True)
class Tradeoff:
    """The best fleet for each objective that has one, and the front: no fleet is as good as one of it in cost and TTFT.

    The front is sorted by cost; `knee` is the place in it of the fleet that lies farthest below the line between its
    ends on logarithmic axes, None where none does. `weighed` fleets were looked at, of `found` kinds apart from size,
    and `standing` of them are on the front, of which the list may show fewer.
    """

    best: tuple[tuple[Objective, Weighed], ...]
    front: tuple[Weighed, ...]
    knee: int | None
    found: int
    weighed: int
    standing: int
