"""What must hold of every run, whatever its numbers: nothing is lost, made up, or counted twice."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.simulation.compiled import compiled
from fleettui.simulation.elastic import ElasticPool
from fleettui.simulation.layout import State
from fleettui.simulation.prefix_cache import Cache
from fleettui.simulation.records import Records
from fleettui.simulation.speculation import commit_at

CLOSE = 1e-9


def check(state: State, blocks: list[int]) -> None:
    """Raise AssertionError, with the evidence, unless requests, presence and blocks add up.

    `blocks` are those of a replica, per pool.
    """
    for index in range(len(state.pools)):
        tally = tally_of(state, index)
        check_requests(state, index, tally, _inside(state, tally.unserved))
        assert not tally.hurried, f"pool {index}: a request was served out of order"
        check_blocks(state, index, blocks[index])
        check_moved_out(state, index, tally.away)
    check_sessions(state)


class Tally(NamedTuple):
    """What the requests of a pool show: the `served` and the seconds that they `stayed`, all together.

    `disordered` ones were served before they came or had a place, or ended before their first token; `hurried` ones had
    both at once. `unserved` are the numbers of the others, and of those that are `away` in the memory
    beside.
    """

    served: int
    stayed: float
    disordered: int
    hurried: int
    unserved: NDArray[np.int32]
    away: NDArray[np.int32]


def tally_of(state: State, index: int) -> Tally:
    """Return the tally of a pool's requests, looked at once: there are many, and each is long."""
    unserved, away = (np.empty(len(state.requests), np.int32) for _ in range(2))
    served, stayed, disordered, hurried, waiting, out = _tally(state.requests, index, unserved, away)
    return Tally(served, stayed, disordered, hurried, unserved[:waiting], away[:out])


@compiled
def _tally(requests: Any, pool: int, unserved: Any, away: Any) -> tuple[int, float, int, int, int, int]:
    """Return the counts of a Tally, and how many numbers were written to each of `unserved` and `away`."""
    served, stayed, disordered, hurried, waiting, out = 0, 0.0, 0, 0, 0, 0
    for index in range(len(requests)):
        request = requests[index]
        if request.pool == pool:
            if request.away:
                away[out] = index
                out += 1
            if math.isfinite(request.finish):
                served += 1
                stayed += request.finish - request.arrival
                ordered = request.arrival <= request.admitted <= request.first <= request.finish
                disordered += int(not ordered)
                hurried += int(ordered and request.admitted == request.first)
            else:
                unserved[waiting] = index
                waiting += 1
    return served, stayed, disordered, hurried, waiting, out


def check_requests(state: State, index: int, tally: Tally, inside: np.ndarray) -> None:
    """Hold a pool to arrived = completed + rejected + timed out + present, and to Little's law by clock and by request.

    `inside` are the arrivals of the requests that have arrived there and are not finished.
    """
    pool = state.pools[index]
    assert tally.served == pool["completed"], f"pool {index}: {tally.served} served, {pool['completed']} counted"
    gone, stayed = check_gone(state, index)
    assert pool["arrived"] == pool["completed"] + gone + pool["present"], f"pool {index}: requests were lost: {pool}"
    assert len(inside) == pool["present"], f"pool {index}: {len(inside)} in the system, {pool['present']} counted"
    sojourns = tally.stayed + float((pool["since"] - inside).sum()) + stayed
    presence = float(pool["presence"])
    assert abs(sojourns - presence) <= CLOSE * max(presence, 1.0), f"Little's law: {sojourns} and {presence} request-s"
    assert not tally.disordered, f"pool {index}: a request was served out of order"


def check_gone(state: State, index: int) -> tuple[int, float]:
    """Hold the attempts of a pool's requests that came to nothing, and the requests that left, to what was counted.

    Returns how many attempts they are, and the seconds that they were there, all together.
    """
    if state.bounds is None:
        return 0, 0.0
    own = state.requests["pool"] == index
    stays, requests, counted = state.bounds.stays[own], state.requests[own], state.bounds.pools[index]
    left, served = np.isfinite(stays["left"]), np.isfinite(requests["finish"])
    assert not (served & (left | stays["away"])).any(), f"pool {index}: a request was served although it had left"
    tried = int(stays["attempts"].sum())
    assert tried == state.pools[index]["arrived"], (
        f"pool {index}: {tried} attempts, {state.pools[index]['arrived']} came"
    )
    inside = int(((stays["attempts"] > 0) & ~left & ~served & ~stays["away"]).sum())
    gone = tried - int(served.sum()) - inside
    assert gone == counted["rejected"] + counted["timed_out"], (
        f"pool {index}: {gone} attempts were turned away or left, counted: {counted}"
    )
    late = left & ~stays["rejected"]
    assert (stays["left"][late] >= stays["due"][late]).all(), f"pool {index}: a client left too early"
    assert (stays["attempts"] <= counted["retries"] + 1).all(), f"pool {index}: a request came too often"
    return gone, float(stays["stay"].sum())


def _inside(state: State, unserved: NDArray[np.int32]) -> np.ndarray:
    """Return the arrivals of a pool's `unserved` requests that are waiting or running: arrived, not gone."""
    if state.bounds is None and state.sessions is not None:
        here = state.sessions.came[unserved] >= 0
    elif state.bounds is None:
        here = unserved < state.pools["arrived"].sum()
    else:
        stays = state.bounds.stays[unserved]
        here = (stays["attempts"] > 0) & np.isnan(stays["left"]) & ~stays["away"]
    return np.asarray(state.requests["arrival"][unserved[here]])


def check_sessions(state: State) -> None:
    """Hold every later round to the one before it: it comes once that was served, at its time, or is due."""
    own, requests = state.sessions, state.requests
    if own is None:
        return
    came = own.came >= 0
    counted = own.came[: own.counts[0]] if own.counts[2] else own.came
    assert np.array_equal(np.sort(counted[counted >= 0]), np.arange(own.counts[1])), "a request was counted twice"
    before = np.flatnonzero(own.then >= 0)
    after, served = own.then[before], np.isfinite(requests["finish"][before])
    follows = came[after]
    assert not (follows & ~served).any(), "a round came before the one before it was served"
    assert int(served.sum()) == int(follows.sum()) + own.waiting[0], "a round was lost"
    asked = requests["arrival"] if state.bounds is None else state.bounds.stays["asked"]
    after, before = after[follows], before[follows]
    due = np.maximum(requests["finish"][before] + own.pause[after], requests["arrival"][before] + own.gap[after])
    assert np.array_equal(asked[after], due), "a round came at another time than its own"


def check_blocks(state: State, index: int, blocks: int) -> None:
    """Hold every replica's free blocks, those of its sequences and those kept for transfers to all that it has.

    A replica that works is inside a step, for which the sequences that decode in it have their blocks already.
    """
    rows = state.replicas["pool"] == index
    replicas, slots = state.replicas[rows], state.slots[rows]
    used, decoding = slots["request"] >= 0, slots["ends"] >= 0
    tokens = np.where(decoding, slots["offset"] + replicas["done"][:, None], slots["computed"])
    tokens = tokens + np.where(decoding, _committing(state, index, replicas, slots), 0)
    tokens = np.where(used, tokens + state.pools[index]["width"] - 1, 0)
    held = (-(-tokens // state.pools[index]["block"])).sum(axis=1) + replicas["kept"]
    if state.cache is not None:
        held += _shared_once(state, rows)
    assert np.array_equal(replicas["free"] + held, np.full(len(replicas), blocks)), f"pool {index}: blocks were lost"
    assert (replicas["free"] >= 0).all(), f"pool {index}: more blocks are held than there are"


def check_moved_out(state: State, index: int, away: NDArray[np.int32]) -> None:
    """Hold the blocks in the memory beside a pool's replicas to its room, and to the sequences that wait to be back.

    These are `away`.
    """
    pool, replicas, out = state.pools[index], state.replicas[state.replicas["pool"] == index], state.requests[away]
    blocks = int((-(-(out["prompt"].astype(np.int64) + out["generated"] - 1) // pool["block"])).sum())
    assert replicas["away"].sum() == blocks, (
        f"pool {index}: {replicas['away'].sum()} blocks are out, of {blocks} waiting"
    )
    assert (replicas["away"] <= pool["beside"]).all(), f"pool {index}: more blocks are out than there is room for"
    assert not np.isfinite(out["finish"]).any(), f"pool {index}: a request was served while its cache was out"


def _committing(state: State, index: int, replicas: Records, slots: Records) -> np.ndarray:
    """Return what the first of the present steps commits of the sequence at each place, shape (replicas, places)."""
    steps = np.minimum(replicas["leap"], 1)
    if not state.pools[index]["sampled"]:
        tokens = (replicas["over"] + steps * replicas["gain"]) // replicas["per"]
        return np.broadcast_to(tokens[:, None], slots.shape)
    found = np.zeros(slots.shape, np.int64)
    for place in zip(*np.nonzero((slots["ends"] >= 0) & (slots["request"] >= 0)), strict=True):
        request, left = slots["request"][place], slots["ends"][place] - replicas["done"][place[0]]
        found[place] = steps[place[0]] * commit_at(state.pools[index], state.requests[request], request, left)
    return found


def _shared_once(state: State, rows: np.ndarray) -> np.ndarray:
    """Return, per replica of a pool, the blocks of prefixes that are used less what each of their users counted.

    Holds their lists of free blocks to what the replicas count as free, and the uses of a block to its users.
    """
    cache, found = state.cache, []
    assert cache is not None, "prefixes are cached"
    for row in np.flatnonzero(rows):
        nodes, each = cache.nodes[row], int(cache.lists["each"][row])
        listed, at = list[int](), int(cache.lists["head"][row])
        while at >= 0:
            listed.append(at)
            at = int(nodes["after"][at])
        blocks, empty = nodes["blocks"][listed], nodes["span"][listed] < 0
        free = int(np.where(empty, blocks, blocks * each).sum())
        assert free == state.replicas["free"][row], f"replica {row}: {free} blocks are listed as free"
        spans = cache.spans[row][cache.table[row][cache.table[row] > 0] - 1]
        unused = int((spans["there"] - spans["used"]).sum())
        assert unused == blocks[~empty].sum(), f"replica {row}: {unused} blocks of prefixes are not used"
        own = state.slots["request"][row]
        using = cache.prefixes[own[own >= 0]]
        uses = int(using["held"].sum())
        users = int((spans["whole"] * cache.lengths[spans["run"]]).sum() + using["part"].sum())
        assert users == uses, f"replica {row}: {users} users of blocks that are used {uses} times"
        _check_far(cache, int(row))
        found.append((int(spans["used"].sum()) - uses) * each)
    return np.array(found, np.int64)


def _check_far(cache: Cache, row: int) -> None:
    """Hold the memory beside a replica to its room, and to follow, run by run, on what is on the GPUs."""
    far, here = cache.far, cache.table[row]
    listed, at = 0, int(far.ends["head"][row])
    while at >= 0:
        listed += int(far.nodes["blocks"][row, at])
        at = int(far.nodes["after"][row, at])
    room, most = int(far.ends["room"][row]), int(far.ends["most"][row])
    assert listed + room == most, f"replica {row}: {listed} blocks are in a memory of {most} with room for {room}"
    assert room >= 0, f"replica {row}: more blocks are out than there is room for"
    beside = far.spans[row][far.table[row][far.table[row] > 0] - 1]
    assert int((beside["there"] - beside["used"]).sum()) == listed, f"replica {row}: blocks are listed that are not out"
    near = {int(one["run"]): int(one["there"]) for one in cache.spans[row][here[here > 0] - 1]}
    for one in beside:
        own = near.get(int(one["run"]), 0)
        assert own == one["used"] < one["there"], f"replica {row}: {own} blocks of a run are here, and {one} out"


def check_elastic(pool: ElasticPool) -> None:
    """Raise AssertionError, with the evidence, unless a replay that is over lost, made up and kept nothing."""
    requests, tally, counted = pool.state.requests, pool.tally[0], pool.state.pools[0]
    own = tally_of(pool.state, 0)
    served, disordered = own.served, own.disordered + own.hurried
    offered, sojourns = len(requests), pool.lost_seconds + own.stayed
    assert not disordered, f"{disordered} requests were served out of order"
    assert tally["next"] == offered, f"{tally['next']} of {offered} requests arrived"
    assert served + tally["rejected"] + tally["left"] + pool.lost == offered, f"{served} of {offered} served, {tally}"
    assert tally["completed"] == counted["completed"] == served, f"{tally} counted, {served} served"
    assert counted["present"] == 0, f"{counted['present']} requests are still there"
    assert not len(pool.due_again), f"{len(pool.due_again)} requests have not come again"
    attempts, given_up = offered, 0
    if pool.again is not None:
        attempts, given_up = int(pool.again.stays["attempts"].sum()), int(pool.again.pools["timed_out"].sum())
        sojourns += float(pool.again.stays["stay"].sum())
    assert attempts == tally["turned"] + served + given_up + pool.lost, f"{attempts} attempts, {given_up} left, {tally}"
    assert abs(sojourns - counted["presence"]) <= 1e-9 * max(sojourns, 1.0), f"Little's law: {sojourns}, {counted}"
    assert (pool.state.replicas["free"] == pool.engine.blocks).all(), "blocks were lost"
