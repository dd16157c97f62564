"""Up to which rate each of some rows holds: it doubles until it does not, and what is between is halved.

To look at several rates takes hardly longer than to look at one, so of few rows those are looked at together that the
next turns may come to. What is found is the same.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fleettui.queueing.arrays import FloatArray

MOST_DOUBLINGS = 60
AT_ONCE = 8
"""Rates that are looked at together at most, unless there are more rows."""
MOST_TURNS = 3
"""Turns of halving at most whose rates are looked at together."""

Holds = Callable[[NDArray[np.intp], FloatArray], NDArray[np.bool_]]
"""Says of these rows which of their rates, of shape (rows, rates), they hold."""


def ends_of(rows: int, low: float, close: float, hold: Holds) -> tuple[FloatArray, FloatArray]:
    """Return of each row a rate that it holds, and one that it does not, larger by a share `close` at most.

    Every row holds `low`; one that holds all that it doubles to has the last two of these.
    """
    holds, fails = _doubled(np.full(rows, low), hold)
    while len(wide := np.flatnonzero(fails > holds * (1.0 + close))):
        holds[wide], fails[wide] = _halved(wide, holds[wide], fails[wide], close, hold)
    return holds, fails


def _doubled(low: FloatArray, hold: Holds) -> tuple[FloatArray, FloatArray]:
    """Return of each row the last rate that it holds of those that double from `low` on, and the next."""
    holds, fails, rows, left = low.copy(), low.copy(), np.arange(len(low)), MOST_DOUBLINGS
    while len(rows) and left:
        some = min(left, max(AT_ONCE // len(rows), 1))
        ends = np.column_stack([holds[rows], np.multiply.outer(fails[rows], 2.0 ** np.arange(some + 1))])
        first = np.logical_and.accumulate(hold(rows, ends[:, 1:-1]), axis=1).sum(axis=1)
        places, left = np.arange(len(rows)), left - some
        holds[rows], fails[rows] = ends[places, first], ends[places, first + 1]
        rows = rows[first == some]
    return holds, fails


def _halved(
    rows: NDArray[np.intp], holds: FloatArray, fails: FloatArray, close: float, hold: Holds
) -> tuple[FloatArray, FloatArray]:
    """Return nearer ends of these rows after some turns, in which one whose ends are `close` stays as it is."""
    turns = int(np.clip(np.log2(AT_ONCE / len(rows) + 1.0), 1, MOST_TURNS))
    ends = np.column_stack([holds, fails])
    for _ in range(turns):
        finer = np.repeat(ends, 2, axis=1)[:, :-1]
        finer[:, 1::2] = np.sqrt(ends[:, :-1] * ends[:, 1:])
        ends = finer
    held = np.column_stack([np.ones(len(rows), bool), hold(rows, ends[:, 1:-1])])
    each, low, width = np.arange(len(rows)), np.zeros(len(rows), int), np.full(len(rows), 2**turns)
    for _ in range(turns):
        wide = ends[each, low + width] > ends[each, low] * (1.0 + close)
        width = np.where(wide, width // 2, width)
        low = np.where(wide & held[each, low + width * wide], low + width, low)
    return ends[each, low], ends[each, low + width]
