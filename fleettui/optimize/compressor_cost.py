"""What a prompt compressor costs: the processor cores that the borderline requests keep busy, at a price of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fleettui.domain.borderline import Band
from fleettui.domain.scenario import Question
from fleettui.optimize.offers import ServedSlice
from fleettui.optimize.ranges import Demanded, Ranges, Slices
from fleettui.queueing.arrays import FloatArray


def counted(question: Question) -> bool:
    """Return whether the cores have a price, and it is known how long a prompt keeps one busy."""
    return question.core_price is not None and question.compressor is not None


def busy_cores(slices: Slices, splits: Iterable[int], gamma: float, seconds: float) -> float:
    """Return how many cores the prompts of each band above the `splits` keep busy, each in the slice that has most.

    `slices` are (requests per second, atoms); every borderline prompt that has room below the split takes `seconds`.
    """
    rows = [(rate, np.asarray(atoms, float).reshape(-1, 3)) for rate, atoms in slices]
    return sum(max(rate * _share(own, split, gamma) for rate, own in rows) * seconds for split in splits)


def cost_of_fleet(slices: Slices, splits: Iterable[int], gamma: float, question: Question) -> float:
    """Return US dollars an hour of the cores before pools that end at `splits`, 0 where they are not counted."""
    if gamma <= 1.0 or question.core_price is None or question.compressor is None:
        return 0.0
    return busy_cores(slices, splits, gamma, question.compressor.processor_seconds) * question.core_price


def cost_of_rows(served: Sequence[ServedSlice], ranges: Ranges, question: Question) -> FloatArray:
    """Return US dollars an hour of the cores that serve each range, shape (ranges,): those of its own upper end."""
    found = np.zeros(len(ranges.gamma))
    if not counted(question):
        return found
    slices = [(one.demanded.rate, _rows(one.demanded)) for one in served]
    known: dict[tuple[int, float], float] = {}
    for row in np.flatnonzero((ranges.gamma > 1.0) & (ranges.up_to < ranges.up_to[0])).tolist():
        key = int(ranges.up_to[row]), float(ranges.gamma[row])
        if key not in known:
            known[key] = cost_of_fleet(slices, key[:1], key[1], question)
        found[row] = known[key]
    return found


def _rows(one: Demanded) -> tuple[tuple[float, float, float], ...]:
    columns = (one.requests.weight, one.requests.prompt, one.requests.output)
    return tuple(zip(*(own.tolist() for own in columns), strict=True))


def _share(rows: FloatArray, split: int, gamma: float) -> float:
    """Return the share of the requests (weight, prompt, output) that the compressor looks at below a split."""
    weight, prompt, output = rows.T
    total = prompt + output
    own = (total > split) & (total <= Band(split=split, gamma=gamma).up_to) & (split - output >= 1.0)
    return float(weight[own].sum() / weight.sum())
