"""Requests of a run in the order in which they came, those in parts as one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fleettui.simulation.layout import State


def in_order_of_coming(state: State) -> tuple[State, NDArray[np.int64], NDArray[np.bool_]]:
    """Return a state that ran with requests as they came, their order, and which of them had a part that followed.

    Who did not come is last. A request in parts ends with its last one, and has the tokens of all; its parts are left
    out. Only what is told of requests is put in order, not what numbers them.
    """
    own = state.sessions
    assert own is not None, "else they came by their numbers"
    requests, outgrown = state.requests, np.zeros(len(state.requests), np.bool_)
    kept = np.arange(len(requests))
    if own.counts[2]:
        requests, kept = requests.copy(), kept[: own.counts[0]]
        outgrown = own.then >= 0
        first = np.flatnonzero(outgrown)
        requests["finish"][first] = requests["finish"][own.then[first]]
        requests["output"][first] += requests["output"][own.then[first]]
    order = order_of(own.came[kept])
    bounds = state.bounds and state.bounds._replace(stays=state.bounds.stays[order])
    return state._replace(requests=requests[order], bounds=bounds), order, outgrown[order]


def order_of(came: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the requests in the order in which they `came`, by how many had come before each; -1 did not, and is last.

    >>> order_of(np.array([1, -1, 0])).tolist()
    [2, 0, 1]
    """
    return np.argsort(np.where(came < 0, len(came), came), kind="stable")
