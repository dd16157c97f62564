"""In what share of the cases a fleet suffices over the error of its step times, and which fleet does in how many."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.confidence import LIKELY, Confidence
from fleettui.domain.uncertain import share_below, slower_than
from fleettui.optimize.fleet_shape import Shape

FURTHEST = 3.0
"""So many times as far as an end of the error step times are looked at: nothing is beyond in a million cases."""
CLOSE = 1e-3


def confidence(shape: Shape, replicas: Sequence[int], rate: float) -> Confidence:
    """Return how sure it is that a fleet of this shape and these sizes holds `rate` requests/s."""
    likely = shape.replicas(rate, slower_than(LIKELY))
    low, high = (shape.replicas(rate, end) for end in (-1.0, 1.0))
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

    def enough(step_time: float) -> bool:
        needed = shape.replicas(rate, step_time)
        return needed is not None and all(need <= have for need, have in zip(needed, replicas, strict=True))

    low, high = -FURTHEST, FURTHEST
    if enough(high):
        return 1.0
    if not enough(low):
        return 0.0
    while high - low > CLOSE:
        middle = (low + high) / 2.0
        low, high = (middle, high) if enough(middle) else (low, middle)
    return share_below(low)


def _gpus(shape: Shape, replicas: Sequence[int] | None) -> int | None:
    return None if replicas is None else sum(shape.gpus(replicas))
