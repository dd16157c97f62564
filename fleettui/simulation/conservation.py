"""What must hold of every run, whatever its numbers: nothing is lost, made up, or counted twice."""

from __future__ import annotations

import numpy as np

from fleettui.domain.fleet import BLOCK_SIZE
from fleettui.simulation.layout import State

CLOSE = 1e-9


def check(state: State, blocks: list[int]) -> None:
    """Raise AssertionError, with the evidence, unless requests, presence and blocks add up.

    `blocks` are those of a replica, per pool.
    """
    for index in range(len(state.pools)):
        inside = _inside(state, index)
        check_requests(state, index, inside)
        served = state.requests[(state.requests["pool"] == index) & np.isfinite(state.requests["finish"])]
        assert (served["admitted"] < served["first"]).all(), f"pool {index}: a request was served out of order"
        check_blocks(state, index, blocks[index])


def check_requests(state: State, index: int, inside: np.ndarray) -> None:
    """Hold a pool to arrived = completed + present, and to Little's law: request-seconds by clock and by request.

    `inside` are the arrivals of the requests that have arrived there and are not finished.
    """
    pool = state.pools[index]
    served = state.requests[(state.requests["pool"] == index) & np.isfinite(state.requests["finish"])]
    assert len(served) == pool["completed"], f"pool {index}: {len(served)} served, {pool['completed']} counted"
    assert pool["arrived"] == pool["completed"] + pool["present"], f"pool {index}: requests were lost: {pool}"
    assert len(inside) == pool["present"], f"pool {index}: {len(inside)} in the system, {pool['present']} counted"
    sojourns = float((served["finish"] - served["arrival"]).sum() + (pool["since"] - inside).sum())
    presence = float(pool["presence"])
    assert abs(sojourns - presence) <= CLOSE * max(presence, 1.0), f"Little's law: {sojourns} and {presence} request-s"
    ordered = (served["arrival"] <= served["admitted"]) & (served["admitted"] <= served["first"])
    assert (ordered & (served["first"] <= served["finish"])).all(), f"pool {index}: a request was served out of order"


def _inside(state: State, index: int) -> np.ndarray:
    """Return the arrivals of a pool's requests that are waiting or running: those arrived and not finished."""
    arrived = int(state.pools["arrived"].sum())
    seen = state.requests[:arrived]
    return np.asarray(seen["arrival"][(seen["pool"] == index) & ~np.isfinite(seen["finish"])])


def check_blocks(state: State, index: int, blocks: int) -> None:
    """Hold every replica's free blocks, those of its sequences and those kept for transfers to all that it has.

    A replica that works is inside a step, for which the sequences that decode in it have their blocks already.
    """
    rows = state.replicas["pool"] == index
    replicas, slots = state.replicas[rows], state.slots[rows]
    used, decoding = slots["request"] >= 0, slots["ends"] >= 0
    ahead = slots["offset"] + (replicas["done"] + np.minimum(replicas["leap"], 1))[:, None]
    tokens = np.where(used, np.where(decoding, ahead, slots["computed"]), 0)
    held = (-(-tokens // BLOCK_SIZE)).sum(axis=1) + replicas["kept"]
    assert np.array_equal(replicas["free"] + held, np.full(len(replicas), blocks)), f"pool {index}: blocks were lost"
    assert (replicas["free"] >= 0).all(), f"pool {index}: more blocks are held than there are"
