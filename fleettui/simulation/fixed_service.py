"""A queue whose service times are given: first come, first served by c servers.

The simplest simulation there is, exact for theory tests and for the papers' columns, which fix each service time
beforehand. Servers are equal, so the times at which they fall free say everything; these are kept in a binary heap.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fleettui.simulation.compiled import compiled

Floats: TypeAlias = NDArray[np.float64]


def waits(arrivals: ArrayLike, service: ArrayLike, servers: int) -> Floats:
    """Return how long each request waits for one of `servers` servers, in seconds, shape (requests,).

    `arrivals` are seconds from the start, never falling, `service` the seconds that each holds its server; arrays of
    one shape. All servers are free at the start. Raises AssertionError for anything else.

    >>> waits([0.0, 1.0, 2.0], [4.0, 1.0, 5.0], 1).tolist()
    [0.0, 3.0, 3.0]
    """
    found = np.empty(np.shape(arrivals))
    _wait(*_checked(arrivals, service, servers), np.zeros(servers), found)
    return found


def _checked(arrivals: ArrayLike, service: ArrayLike, servers: int) -> tuple[Floats, Floats]:
    times, lengths = np.ascontiguousarray(arrivals, float), np.ascontiguousarray(service, float)
    assert servers >= 1, servers
    assert times.ndim == 1 and times.shape == lengths.shape, (times.shape, lengths.shape)  # noqa: PT018
    assert np.all(times[1:] >= times[:-1]), "arrivals fall"
    assert np.all(lengths >= 0), "a service time is negative"
    return times, lengths


@compiled
def _wait(arrivals: Floats, service: Floats, free: Floats, found: Floats) -> None:
    """Write into `found` how long each waits for one of the servers, which are `free` from then on."""
    for i in range(len(arrivals)):
        begin = max(arrivals[i], free[0])
        found[i] = begin - arrivals[i]
        _replace_first(free, begin + service[i])


@compiled
def _replace_first(heap: Floats, value: float) -> None:
    """Put `value` in the place of the least of `heap`, and the new least in front."""
    size, at = len(heap), 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and heap[below + 1] < heap[below]:
            below += 1
        if heap[below] >= value:
            break
        heap[at] = heap[below]
        at = below
    heap[at] = value
