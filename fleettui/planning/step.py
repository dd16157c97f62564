"""A fleet that a search by simulation may try next, and by what such fleets are compared."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.planning.walk import Sizes, Walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A fleet to try: the sizes of a walk, and what they are worth by the formulas."""

    worth: float
    walk: Walk
    sizes: Sizes

    @property
    def strain(self) -> float:
        """The latency of its slowest pool as the largest share of its limits, as it is expected."""
        return max(self.walk.strain(place, size) for place, size in enumerate(self.sizes))


def by_worth(step: Step) -> tuple[float, float]:
    """Return what a step is worth, but for rounding, and how near its limits it is expected to be.

    Of fleets that cost the same the one that is expected to have most left is the surest to suffice.
    """
    return round(step.worth, 9), step.strain
