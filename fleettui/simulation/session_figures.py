"""What the rounds of sessions found in caches, by their number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.sessions import MOST_ROUNDS, RoundSeen


def by_round(requests: NDArray[Any], numbers: NDArray[np.int64]) -> tuple[RoundSeen, ...]:
    """Return what `requests` that were served found, by their `numbers`, 0 the first; arrays of shape (requests,)."""
    served = np.isfinite(requests["first"])
    place = np.minimum(numbers[served], MOST_ROUNDS - 1)
    found = np.minimum(requests["cached"], requests["prompt"])  # what was preempted finds of its answer, too
    columns = (np.ones(len(place)), requests["prompt"][served], found[served])
    counted = [np.bincount(place, weights=one, minlength=MOST_ROUNDS).astype(int).tolist() for one in columns]
    rows = zip(range(1, MOST_ROUNDS + 1), *counted, strict=True)
    return tuple(
        RoundSeen(number=number, requests=count, prompt=prompt, found=hits)
        for number, count, prompt, hits in rows
        if count
    )


def added(runs: Sequence[Sequence[RoundSeen]]) -> tuple[RoundSeen, ...]:
    """Return what several runs saw of each round in all."""
    every = [one for run in runs for one in run]
    found = []
    for number in sorted({one.number for one in every}):
        own = [one for one in every if one.number == number]
        sums = (sum(getattr(one, name) for one in own) for name in ("requests", "prompt", "found"))
        requests, prompt, hits = sums
        found.append(RoundSeen(number=number, requests=requests, prompt=prompt, found=hits))
    return tuple(found)
