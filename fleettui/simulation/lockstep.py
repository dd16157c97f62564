"""Lanes of one replica that step together, compiled: attention-DP, whose layers behind attention serve all at once.

A round begins for all lanes of a replica at once and ends for all with the longest: each attends to its own sequences,
and the layers behind work for the tokens of all of them. A request that comes meanwhile waits for the next round. The
first lane stands for all of them in the heap of wakes. A run without such a replica has none of these arrays, and its
loop is compiled without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.simulation import leaps
from fleettui.simulation.compiled import part

if TYPE_CHECKING:
    from fleettui.simulation.layout import Engine


class Lockstep(NamedTuple):
    """What lanes have in common, a row for each pool, and which of them served each of those that a round finished.

    `shared` are the seconds that the layers behind attention take for so many tokens of all lanes. A round with prompts
    lasts `least` seconds at least, and `extra` more.
    """

    shared: NDArray[np.float64]
    least: NDArray[np.float64]
    extra: NDArray[np.float64]
    served_by: NDArray[np.int32]


def lockstep_of(engines: Sequence[Engine]) -> Lockstep | None:
    """Return what the lanes of these engines have in common; None where each replica has one batch, or a pipeline."""
    assert all(one.curve is None or one.curve.lanes == one.together for one in engines), "a curve of other lanes"
    most = max(one.together for one in engines)
    if most == 1:
        return None
    rows = [np.zeros(1) if one.together == 1 or one.curve is None else one.curve.shared for one in engines]
    shared = np.zeros((len(rows), max(len(row) for row in rows)))
    for place, row in enumerate(rows):
        shared[place, : len(row)], shared[place, len(row) :] = row, row[-1]
    least, extra = np.zeros((2, len(engines)))
    for place, one in enumerate(engines):
        if one.curve is not None:
            least[place], extra[place] = one.curve.least, one.curve.extra
    return Lockstep(shared, least, extra, np.zeros(most * max(one.places for one in engines), np.int32))


@part
def first_of(own: Any, state: Any, index: int) -> int:
    """Return the lane that stands for those in `own` lockstep with lane `index` in the heap of wakes; else itself."""
    return index if own is None else _first_of(state, index)


@part
def _first_of(state: Any, index: int) -> int:
    pool = state.pools[state.replicas[index].pool]
    return int(index - (index - pool.start) % pool.together)


@part
def count_of(own: Any, state: Any, index: int) -> int:
    """Return how many lanes step with lane `index`, itself among them."""
    return 1 if own is None else state.pools[state.replicas[index].pool].together


@part
def server_of(own: Any, place: int, index: int) -> int:
    """Return the lane that served the request at a place of those that a round of lane `index` and others finished."""
    return index if own is None else own.served_by[place]


@part
def meet(own: Any, state: Any, pool: Any, first: int) -> None:
    """Let the steps that the lanes from `first` on just composed end together.

    The layers behind attention take what they take for the tokens of all lanes.
    """
    now = state.replicas[first].clock
    tokens, prompted, wake = 0, 0, now
    for lane in range(first, first + pool.together):
        replica = state.replicas[lane]
        tokens += replica.prompted + replica.leap * replica.decodes * replica.width
        prompted += replica.prompted
        wake = max(wake, replica.wake)
    row, pace = state.replicas[first].pool, leaps.pace_of(state.replicas[first]) if state.replicas[first].paced else 1.0
    wake += own.shared[row, min(tokens, own.shared.shape[1] - 1)] * pace
    if prompted > 0:
        wake = max(wake, now + own.least[row] * pace) + own.extra[row] * pace
    for lane in range(first, first + pool.together):
        state.replicas[lane].wake = wake
