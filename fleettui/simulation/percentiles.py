"""Percentiles of what was measured: a value of the sample, in exact order, found without putting all of it in order."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Parts = Sequence[tuple[Floats, float]]
"""Samples, each with the weight of all its values together."""

LOOKED_AT = 4096
"""Values of a sample, evenly spread over it, by which it is guessed where a percentile lies."""
MARGIN = 6.0 / math.sqrt(LOOKED_AT)
"""By how much the guess is below it: so many standard errors of the share at most."""
UNSURE = 2.0**-50
"""The error of a sum, as a share of it, for each value in it: at least that of adding one after the other."""


def percentile(values: Floats, share: float) -> float | None:
    """Return the value that a `share` of the values does not exceed, None where there are none.

    >>> percentile(np.array([3.0, 1.0, 2.0]), 0.5)
    2.0
    """
    count = len(values)
    return _with_below(values, max(math.ceil(count * share - 1.0), 0)) if count else None


def mixture_percentile(parts: Parts, share: float) -> float | None:
    """Return the percentile of a mixture of samples.

    It is that of all values in order, whose weights are added up; where the last digits of the sum would decide, all
    are added in order.
    """
    filled = [(values, weight) for values, weight in parts if len(values)]
    if not filled:
        return None
    if len(filled) == 1:
        values, weight = filled[0]
        ends = np.cumsum(np.full(len(values), weight / len(values)))
        return _with_below(values, int(np.searchsorted(ends, share * ends[-1])))
    found = _among_the_largest(filled, share) if sum(len(values) for values, _ in filled) > LOOKED_AT else None
    return _of_all(filled, share) if found is None else found


def _with_below(values: Floats, below: int) -> float:
    """Return the value with so many others before it in order."""
    if len(values) > LOOKED_AT:
        largest = _above(values, _guess([(values, 1.0)], below / len(values)))
        if below >= len(values) - len(largest):
            values, below = largest, below - len(values) + len(largest)
    return float(np.partition(values, below)[below])


def _among_the_largest(parts: Parts, share: float) -> float | None:
    """Return a mixture's percentile by the order of its largest values alone, None where that may be another."""
    guess = _guess(parts, share)
    largest = [_above(values, guess) for values, _ in parts]
    below = sum(weight * (1.0 - len(own) / len(all_)) for own, (all_, weight) in zip(largest, parts, strict=True))
    weights = np.concatenate(
        [np.full(len(own), weight / len(all_)) for own, (all_, weight) in zip(largest, parts, strict=True)]
    )
    values = np.concatenate(largest)
    order = np.argsort(values)
    ends, total = below + np.cumsum(weights[order]), sum(weight for _, weight in parts)
    unsure = UNSURE * total * sum(len(all_) for all_, _ in parts)
    first, last = np.searchsorted(ends, (share * total - unsure, share * total + unsure))
    return float(values[order][first]) if 0 < first == last < len(values) else None


def _of_all(parts: Parts, share: float) -> float:
    values = np.concatenate([one for one, _ in parts])
    weights = np.concatenate([np.full(len(one), weight / len(one)) for one, weight in parts])
    order = np.argsort(values)
    ends = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(ends, share * ends[-1])])


def _guess(parts: Parts, share: float) -> float:
    """Return a value that is hardly above a mixture's percentile, by a few of its values."""
    some = [(values[:: max(1, len(values) // LOOKED_AT)], weight) for values, weight in parts]
    return _of_all(some, max(share - MARGIN * math.sqrt(share * (1.0 - share)), 0.0))


def _above(values: Floats, least: float) -> Floats:
    """Return the values above the `least`, and those that are not defined, which are last in order."""
    return values[~(values <= least)]
