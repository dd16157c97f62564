"""The fewest replicas with which a pool keeps its terms, for many pools at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fleettui.domain.limit import TTFT
from fleettui.optimize.terms import Terms
from fleettui.queueing import latency, tails
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.batching import saturated_rate
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.metric_formulas import FORMULAS

MOST_REPLICAS = 1e9
"""A pool that would need more has no size: nobody has so many."""
IDLE = 1e-3  # mean batch per replica below which more replicas change nothing
MOST_SIZES = 15
"""Sizes of a row that are tried together at most."""


def keeps(load: PoolLoad, terms: Terms) -> np.ndarray:
    """Return, per row, whether utilization and every latency limit hold."""
    holds = terms.has_room(load)
    for limit in sorted(terms.limits, key=lambda one: not FORMULAS[one.metric].cheap):
        if FORMULAS[limit.metric].cheap:
            holds &= terms.within(load, limit)
        elif len(rows := np.flatnonzero(holds)):
            holds[rows] = terms.within(load.pick(rows), limit)
    return holds


def above_floor(load: PoolLoad, terms: Terms) -> np.ndarray:
    """Return, per row, whether requests alone on a replica keep the TTFT: if not, no size helps (model.md §5.4)."""
    keep = np.ones(len(load.rows), bool)
    for limit in terms.on(TTFT.name):
        own, seconds = load.of_class(batch=limit.batch), np.full(len(load.rows), limit.seconds)
        late = tails.share_above(own, latency.floor_delay(own), seconds) > terms.beyond(limit)
        keep &= ~(late & load.has(batch=limit.batch))
    return keep


def by_utilization(load: PoolLoad, terms: Terms) -> FloatArray:
    """Return the fewest replicas that keep the utilization cap."""
    return at_utilization(load.arrival_rate, saturated_rate(load.moments, load.service), terms)


def at_utilization(arrival_rate: FloatArray, saturated: FloatArray, terms: Terms) -> FloatArray:
    """Return the fewest replicas, each good for `saturated` requests/s, that the utilization cap allows."""
    return np.maximum(1.0, np.ceil(arrival_rate / (saturated * terms.max_utilization) - 1e-9))


def size(load: PoolLoad, terms: Terms) -> FloatArray:
    """Return the fewest replicas per row that keep `terms`, infinite where none does; `load.replicas` is ignored.

    From the utilization bound upwards: double until the terms hold, then divide what is between. A row that fails even
    when its replicas are idle has no size, nor has one of more than MOST_REPLICAS.
    """
    lowest = by_utilization(load, terms)
    answer = np.full(len(lowest), np.inf)
    possible = np.flatnonzero(above_floor(load, terms) & (lowest <= MOST_REPLICAS))
    holds = keeps(load.resized(lowest).pick(possible), terms)
    answer[possible[holds]] = lowest[possible[holds]]
    open_rows = possible[~holds]
    if len(open_rows):
        answer[open_rows] = _enlarge(load.pick(open_rows), lowest[open_rows], terms)
    answer[answer > MOST_REPLICAS] = np.inf
    return answer


def _enlarge(load: PoolLoad, failing: FloatArray, terms: Terms) -> FloatArray:
    """Return the fewest replicas above `failing` (which does not hold) per row, infinite where even idle ones fail."""
    idle = np.maximum(np.ceil(load.arrival_rate * load.moments.steps * load.service.base / IDLE), failing + 1.0)
    first = _doubled(failing, idle, _at_once(len(failing), terms))
    holds = _holds(load, terms, np.column_stack([first, idle]))
    hopeful = np.flatnonzero(holds[:, -1])
    own, ends = load.pick(hopeful), (failing[hopeful], first[hopeful], idle[hopeful])
    low, high, found = _nearer(*ends, holds[hopeful, :-1])
    growing = np.flatnonzero(~found)
    while len(growing):
        low[growing], high[growing], found = _tried(own.pick(growing), terms, low[growing], high[growing], _doubled)
        growing = growing[~found]
    while len(rows := np.flatnonzero(high - low > 1.0)):
        low[rows], high[rows], _ = _tried(own.pick(rows), terms, low[rows], high[rows], _divided)
    answer = np.full(len(failing), np.inf)
    answer[hopeful] = high
    return answer


Sizes = Callable[[FloatArray, FloatArray, int], FloatArray]
"""So many sizes to try of each row between two ends, rising, of shape (rows, sizes)."""


def _doubled(low: FloatArray, high: FloatArray, sizes: int) -> FloatArray:
    """Return sizes of which each is twice the one before, the first twice `low`, at most `high`."""
    found: FloatArray = np.minimum(np.multiply.outer(low, 2.0 ** np.arange(1, sizes + 1)), high[:, None])
    return found


def _divided(low: FloatArray, high: FloatArray, sizes: int) -> FloatArray:
    """Return sizes that divide what is between the ends into equal parts."""
    found: FloatArray = np.floor(low[:, None] + np.multiply.outer(high - low, np.arange(1, sizes + 1) / (sizes + 1)))
    return found


Ends = tuple[FloatArray, FloatArray, np.ndarray]
"""A size of each row that fails and one that holds, and whether that was tried."""


def _tried(load: PoolLoad, terms: Terms, low: FloatArray, high: FloatArray, sizes: Sizes) -> Ends:
    """Return nearer ends of each row than `low`, which fails, and `high`, which holds."""
    between = sizes(low, high, _at_once(len(low), terms))
    return _nearer(low, between, high, _holds(load, terms, between))


def _at_once(rows: int, terms: Terms) -> int:
    """Return how many sizes of each row are tried together: for few rows that takes no longer than for one."""
    few = min((FORMULAS[limit.metric].rows_at_once for limit in terms.limits), default=1)
    return int(np.clip(few // rows, 1, MOST_SIZES))


def _holds(load: PoolLoad, terms: Terms, sizes: FloatArray) -> np.ndarray:
    """Return whether each row holds at each of its `sizes`, both of shape (rows, sizes)."""
    rows = np.repeat(np.arange(len(sizes)), sizes.shape[1])
    return keeps(load.pick(rows).resized(sizes.ravel()), terms).reshape(sizes.shape)


def _nearer(low: FloatArray, between: FloatArray, high: FloatArray, holds: np.ndarray) -> Ends:
    """Return the ends next to the first of the sizes `between` that `holds`."""
    rows, found = np.arange(len(low)), np.asarray(holds.any(axis=1))
    place = np.where(found, holds.argmax(axis=1), between.shape[1])
    ends: FloatArray = np.column_stack([low, between, high])
    return ends[rows, place], ends[rows, place + 1], found
