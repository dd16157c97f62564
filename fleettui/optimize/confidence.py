"""In what share of the cases a fleet suffices over the error of its step times, and which fleet does in how many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.confidence import LIKELY, Confidence
from fleettui.domain.uncertain import share_below, slower_than
from fleettui.optimize.cases import Cases
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.held_fleet import HeldFleet

FURTHEST = 3.0
"""So many times as far as an end of the error step times are looked at: nothing is beyond in a million cases."""
PARTS = (32, 16, 16, 16)
"""Into so many parts what is left of these step times is cut, again and again, to find where a fleet fails."""
Sizes = tuple[int, ...]
"""Replicas of each pool."""


def confidence(shape: Shape, replicas: Sequence[int], rate: float, shown: Sizes | None = None) -> Confidence:
    """Return how sure it is that a fleet of this shape and these sizes holds `rate` requests/s, by its step times.

    Where simulations have `shown` what suffices in LIKELY of the cases, that is told in place of the formulas' sizes.
    """
    lasts, fails = _ends(shape, replicas, rate)
    low, high = shape.doubting.replicas_at(rate, (-1.0, 1.0))
    return _told(shape, replicas, share_below(lasts), shown or _likely(shape, rate, fails), (low, high))


def confidence_of(held: HeldFleet, rate: float, shown: Sizes | None = None) -> Confidence:
    """Return how sure it is that a fleet holds `rate` requests/s, over what was typed as a range, too."""
    own, typed = [pool.replicas for pool in held.fleet.pools], held.question.ranges
    if not typed:
        return confidence(held.planned, own, rate, shown)
    cases = Cases.of(held, rate)
    doubting = Cases.of(held, rate, doubts_waits=True)
    ends = doubting.sizes(share_below(-1.0)), doubting.sizes(share_below(1.0))
    return replace(_told(held.planned, own, cases.holds(own), shown or cases.sizes(LIKELY), ends), ranges=typed)


def sizes_for(held: HeldFleet, rate: float, share: float) -> Sizes | None:
    """Return each pool's replicas that suffice in a share of the cases, None where none do."""
    if not held.question.ranges:
        return held.planned.replicas(rate, slower_than(share))
    return Cases.of(held, rate).sizes(share)


def _told(
    shape: Shape, own: Sequence[int], share: float, likely: Sizes | None, ends: tuple[Sizes | None, Sizes | None]
) -> Confidence:
    """Return how sure a fleet is; one that is sure enough needs no more than its `own` replicas for it."""
    low, high = ends
    if share >= LIKELY and (likely is None or shape.cost(likely) > shape.cost(own)):
        likely = tuple(own)
    return Confidence(
        holds=share,
        replicas=likely,
        gpus=_gpus(shape, likely),
        cost=None if likely is None else shape.cost(likely),
        span=(_gpus(shape, low), _gpus(shape, high)),
        paid=None if likely is None else shape.paid_beyond(likely),
    )


def holds(shape: Shape, replicas: Sequence[int], rate: float) -> float:
    """Return the share of the cases in which these sizes suffice: those of step times up to where they fail.

    A fleet that takes no longer steps suffices in all shorter ones, so that one number says which.
    """
    return share_below(_ends(shape, replicas, rate)[0])


def _ends(shape: Shape, replicas: Sequence[int], rate: float) -> tuple[float, float]:
    """Return how far towards an end step times are up to which these sizes suffice, and the next ones, that fail.

    No step times are looked at before the first or beyond the last: the one is -inf where all fail, the other inf where
    all suffice.
    """

    def enough(step_times: Sequence[float]) -> list[bool]:
        return [
            needed is not None and all(need <= have for need, have in zip(needed, replicas, strict=True))
            for needed in shape.replicas_at(rate, step_times)
        ]

    low, high = -FURTHEST, FURTHEST
    some, every = enough((low, high))
    if every or not some:
        return (math.inf, math.inf) if every else (-math.inf, low)
    width = high - low
    for parts in PARTS:
        width /= parts
        points = [low + width * part for part in range(1, parts)]
        first = next((place for place, holds in enumerate(enough(points)) if not holds), len(points))
        low, high = low + width * first, (*points, high)[first]
    return low, high


def _likely(shape: Shape, rate: float, fails: float) -> Sizes | None:
    """Return the sizes that suffice in LIKELY of the cases, also at step times within these at which a fleet `fails`.

    Formulas that simulations correct need not ask for more replicas the longer steps take: so those that suffice at the
    longest of these steps could be too few before.
    """
    wanted = slower_than(LIKELY)
    found = shape.replicas_at(rate, (wanted, min(fails, wanted)))
    sizes = [one for one in found if one is not None]
    return tuple(map(max, *sizes)) if len(sizes) == len(found) else None


def _gpus(shape: Shape, replicas: Sequence[int] | None) -> int | None:
    return None if replicas is None else sum(shape.gpus(replicas))
