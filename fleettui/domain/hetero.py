"""Cheaper GPUs role by role: what a fleet of two types costs and serves beside one of a single type, and three gates.

The scores and gates are Frontier's (Section 6.2): a role that is limited by arithmetic keeps its GPUs, latencies stay
within their limits, and a dollar buys at least 8 % more tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fleettui.domain.frontier import FrontierPoint
from fleettui.domain.plan import Estimate

Role = str
"""What some GPUs of a fleet do, as its architecture names it."""
Gate = Literal["", "memory", "compute", "limits", "efficiency"]
"""What refuses an allocation, empty where nothing does; one whose weights do not fit comes to no gate."""
LEAST_EFFICIENCY = 1.08
"""Tokens for a dollar beside those of a single GPU type that an allocation must reach."""
COMPUTE_LIMITED = 1.10
"""How many times as long a role takes with the cheaper GPU's arithmetic, from which on it is limited by that."""

RUNS = 5
"""Simulated runs of an allocation that comes to the last gate, each at the highest rate that keeps the limits in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """A fleet in which the `roles` have the cheaper GPU, none of them in the one that others are measured by.

    `cost` are US dollars an hour, `tokens` the output tokens/s at the highest rate that keeps every limit, at which the
    latencies are, in seconds. `slower` says how many times as long each of these roles takes with its own GPU's memory
    and the cheaper one's arithmetic. `why` are the words of a refusal that is none of the gates. `gain` is
    the efficiency as simulated, run by run against the plain one, None where that was not.
    """

    base: FrontierPoint
    roles: tuple[Role, ...]
    gpus: tuple[tuple[str, int], ...]
    cost: float
    tokens: float
    ttft: float
    tpot: float
    slower: tuple[tuple[Role, float], ...] = ()
    why: str = ""
    gain: Estimate | None = None

    def spend_ratio(self, plain: Allocation) -> float:
        """Return how many times as much the fleet of one type costs: above 1 this one is cheaper."""
        return plain.cost / self.cost

    def efficiency(self, plain: Allocation) -> float:
        """Return how many times as many tokens a dollar buys as with one type."""
        return self.tokens / self.cost / (plain.tokens / plain.cost)

    def refused_by(self, plain: Allocation) -> Gate:
        """Return the first gate that refuses it."""
        if self.why:
            return "memory"
        if any(ratio > COMPUTE_LIMITED for _, ratio in self.slower):
            return "compute"
        if self.tokens <= 0.0:
            return "limits"
        return "efficiency" if self.roles and self.decided_by(plain) < LEAST_EFFICIENCY else ""

    def decided_by(self, plain: Allocation) -> float:
        """Return the efficiency that the last gate looks at: as simulated where it was, by formula else."""
        known = None if self.gain is None else self.gain.value
        return self.efficiency(plain) if known is None else known

    @property
    def undecided(self) -> bool:
        """Whether the interval of what the last gate looks at holds the efficiency that must be reached."""
        ends = (None, None) if self.gain is None else (self.gain.low, self.gain.high)
        return None not in ends and float(ends[0] or 0.0) < LEAST_EFFICIENCY <= float(ends[1] or 0.0)
