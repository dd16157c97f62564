"""In what share of the cases a fleet suffices over the error of its step times, and which fleet does in how many."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.confidence import LIKELY, Confidence
from fleettui.domain.uncertain import share_below, slower_than
from fleettui.optimize.fleet_shape import Shape

FURTHEST = 3.0
"""So many times as far as an end of the error step times are looked at: nothing is beyond in a million cases."""
PARTS = (32, 16, 16)
"""Into so many parts what is left of these step times is cut, again and again, to find where a fleet fails."""


def confidence(shape: Shape, replicas: Sequence[int], rate: float) -> Confidence:
    """Return how sure it is that a fleet of this shape and these sizes holds `rate` requests/s."""
    likely, low, high = shape.replicas_at(rate, (slower_than(LIKELY), -1.0, 1.0))
    return Confidence(
        holds=holds(shape, replicas, rate),
        replicas=likely,
        gpus=_gpus(shape, likely),
        cost=None if likely is None else shape.cost(likely),
        span=(_gpus(shape, low), _gpus(shape, high)),
    )


def holds(shape: Shape, replicas: Sequence[int], rate: float) -> float:
    """Return the share of the cases in which these sizes suffice: those of step times up to where they fail.

    A fleet that takes no longer steps suffices in all shorter ones, so that one number says which.
    """

    def enough(step_times: Sequence[float]) -> list[bool]:
        return [
            needed is not None and all(need <= have for need, have in zip(needed, replicas, strict=True))
            for needed in shape.replicas_at(rate, step_times)
        ]

    low, high = -FURTHEST, FURTHEST
    some, every = enough((low, high))
    if every or not some:
        return float(every)
    width = high - low
    for parts in PARTS:
        width /= parts
        low += width * sum(enough([low + width * part for part in range(1, parts)]))
    return share_below(low)


def _gpus(shape: Shape, replicas: Sequence[int] | None) -> int | None:
    return None if replicas is None else sum(shape.gpus(replicas))
