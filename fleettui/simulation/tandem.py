"""The event loop of a disaggregated fleet, compiled: prefill replicas, caches on their way, decode replicas.

Each side is a state of its own, whose replicas run the co-located engine's steps: those that prefill take requests of
one token, so that they finish with their prompt, and those that decode take no prompts but those of what was preempted.
The blocks of a finished prompt stay where they are until its cache has landed. A cache sets out when the replica that
is to decode has a place and blocks for the prompt and its next token, which are kept for it; replicas look at the end
of each step, idle ones at once. What lands decodes from the next step on.

Where the side that decodes sends every token, it computes a prompt's last one again, which gives the first. Short
prompts never leave it: they wait there and are prefilled beside its decodes, behind caches that have a place.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.simulation import batch, leaps, transfers
from fleettui.simulation import replica as engine
from fleettui.simulation.blocks import blocks_of
from fleettui.simulation.compiled import called, compiled, part
from fleettui.simulation.heaps import pop_key, push_key, rise
from fleettui.simulation.kernel import begin, finish, note_presence, places_at_once, start_next
from fleettui.simulation.layout import State
from fleettui.simulation.loads_seen import note_sent
from fleettui.simulation.lockstep import count_of, first_of, server_of
from fleettui.simulation.records import Records
from fleettui.simulation.sending import chosen_by
from fleettui.simulation.transfers import Transfers


class Tandem(NamedTuple):
    """Both sides, what is on its way between them, and who waits for it.

    `follows` links the requests that wait at a decode replica for blocks and a place, from `head` to `tail`, and those
    that landed at one since its last step, from `first` to `last`: a request never stands in both. A replica `refused`
    where somebody had to wait for longer than the step in which its prompt was complete. Where decode sends the first
    token, `follows` also links those that joined with the present step, from `joined` on, each in its `slot`.
    """

    prefill: State
    decode: State
    transfers: Transfers
    follows: NDArray[np.int32]
    head: NDArray[np.int32]
    tail: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    refused: NDArray[np.bool_]
    joined: NDArray[np.int32]
    slot: NDArray[np.int32]


def run(
    tandem: Tandem, first: int, last: int, leaping: bool
) -> tuple[tuple[Records, Records], NDArray[np.float64], int]:
    """Play until requests [first, last) are complete, as `kernel.run` does; a closed loop's clients are prefill's.

    Returns the records of both pools at the arrival of the first of them and at that of the last, the time of each,
    and how many requests arrived.
    """
    prefill, decode = tandem.prefill, tandem.decode
    finished = np.zeros(max(places_at_once(prefill), places_at_once(decode)), np.int32)
    asking, busy = np.full(1, len(prefill.clients)), np.zeros(2, np.int64)
    marks, moments = (np.empty(2, prefill.pools.dtype), np.empty(2, prefill.pools.dtype)), np.zeros(2)
    return marks, moments, _play(tandem, first, last, leaping, finished, asking, busy, marks, moments)


@compiled
def _play(
    tandem: Tandem,
    first: int,
    last: int,
    leaping: bool,
    finished: Any,
    asking: Any,
    busy: Any,
    marks: Any,
    moments: Any,
) -> int:
    """Play as `run` does; fill `marks` and `moments`, and return how many requests arrived."""
    prefill, decode, moved = tandem.prefill, tandem.decode, tandem.transfers
    requests, closed = prefill.requests, len(prefill.clients) > 0
    zero: Any = np.int64(0)  # of no literal, as in `kernel.play`
    arrived, open_ones = zero, last - first
    while open_ones > 0:
        arrival = np.inf
        if arrived < len(requests):
            if not closed:
                arrival = requests[arrived].arrival
            elif asking[0] > 0:
                arrival = prefill.clients[0]
        prefilled = prefill.replicas[prefill.heap[0]].wake if busy[0] > 0 else np.inf
        decoded = decode.replicas[decode.heap[0]].wake if busy[1] > 0 else np.inf
        lands, flows = transfers.landing(moved), moved.links[0].due
        soonest = min(arrival, lands, flows, prefilled, decoded)
        assert soonest < np.inf, "requests are left, and nothing will happen"
        if arrival == soonest:
            if closed:
                pop_key(prefill.clients, asking[0])
                asking[0] -= 1
                requests[arrived].arrival = arrival
            for place, at in enumerate((first, last - 1)):
                if arrived == at:
                    marks[place][0], marks[place][1] = prefill.pools[0], decode.pools[0]
                    moments[place] = arrival
            _arrive(tandem, arrived, leaping, busy)
            arrived += 1
        elif lands == soonest:
            _land(tandem, lands, leaping, busy)
        elif flows == soonest:
            transfers.last_byte(moved)
        elif prefilled == soonest:
            open_ones -= _prefilled(tandem, finished, first, last, leaping, busy, asking)
        else:
            open_ones -= _decoded(tandem, finished, first, last, leaping, busy, asking)
    return int(arrived)


@part
def _arrive(tandem: Tandem, index: int, leaping: bool, busy: Any) -> None:
    """Send a request to a replica that prefills, or to one that decodes if its prompt is short."""
    state = tandem.prefill
    request = state.requests[index]
    if request.prompt - request.cached <= tandem.transfers.links[0].short:
        _stay(tandem, index, leaping, busy)
        return
    first = first_of(state.lockstep, state, _queue(state, index))
    if state.spot[first] < 0:
        _wake_up(state, first, request.arrival, False, busy, 0)


@part
def _queue(state: State, index: int) -> int:
    """Let a request that arrives wait at the replica that the router chooses; return that."""
    request, pool, chosen = state.requests[index], state.pools[0], chosen_by(state, index)
    replica = state.replicas[chosen]
    pool.arrived += 1
    note_presence(pool, request.arrival, 1)
    note_sent(state, pool, replica, chosen, request.prompt)
    engine.wait(pool, replica, state.requests, index, state.turns)
    return chosen


@part
def _stay(tandem: Tandem, index: int, leaping: bool, busy: Any) -> None:
    """Send a short prompt to a replica that decodes, where it waits as it would at one that does both."""
    state = tandem.decode
    request, pool = state.requests[index], state.pools[0]
    request.arrival, request.cached = tandem.prefill.requests[index].arrival, tandem.prefill.requests[index].cached
    chosen = _queue(state, index)
    replica, lane = state.replicas[chosen], first_of(state.lockstep, state, chosen)
    if state.spot[lane] < 0:
        _wake_up(state, lane, request.arrival, leaping, busy, 1)
    elif replica.leap > 1 and replica.head == index and replica.running < pool.places:
        leaps.shorten(replica, request.arrival)
        rise(state.heap, state.spot, state.replicas, state.spot[chosen])


@called
def _wake_up(state: State, index: int, now: float, leaping: bool, busy: Any, side: int) -> None:
    """Let an idle replica start a step, if there is anything to do."""
    state.replicas[index].clock = now
    if begin(state.lockstep, state, index, leaping):
        state.heap[busy[side]] = index
        rise(state.heap, state.spot, state.replicas, busy[side])
        busy[side] += 1


@part
def _ask_again(tandem: Tandem, index: int, finish: float, asking: Any) -> None:
    """Let the client of a closed loop think before its next request; `asking` is how many do."""
    clients = tandem.prefill.clients
    if len(clients) > 0:
        push_key(clients, asking[0], finish + tandem.prefill.thinking[index])
        asking[0] += 1


@part
def _prefilled(tandem: Tandem, finished: Any, first: int, last: int, leaping: bool, busy: Any, asking: Any) -> int:
    """End a step of prompts: each that is complete goes on to decode; return how many measured ones need not."""
    state = tandem.prefill
    index, done = int(state.heap[0]), 0
    served = finish(state.lockstep, state, index, finished)
    for place in range(served):
        request, server = int(finished[place]), int(server_of(state.lockstep, place, index))
        replica = state.replicas[server]
        if tandem.decode.requests[request].output > tandem.transfers.links[0].sent:
            blocks = blocks_of(replica, state.requests[request].prompt)
            replica.free -= blocks
            replica.kept += blocks
            tandem.transfers.source[request] = server
            _hand_over(tandem, request, replica.clock, leaping, busy)
        else:
            done += int(first <= request < last)
            _ask_again(tandem, request, state.requests[request].finish, asking)
    busy[0] += start_next(state, index, True, leaping, busy[0])
    return done


@part
def _hand_over(tandem: Tandem, index: int, now: float, leaping: bool, busy: Any) -> None:
    """Let a prefilled request wait at a replica for its place there."""
    state = tandem.decode
    request, pool = state.requests[index], state.pools[0]
    request.arrival = now
    chosen = chosen_by(state, index)
    pool.arrived += 1
    note_presence(pool, now, 1)
    replica = state.replicas[chosen]
    note_sent(state, pool, replica, chosen, request.prompt)
    tandem.transfers.ended[index] = now
    if not tandem.refused[chosen]:
        tandem.transfers.begun[index] = tandem.prefill.requests[index].admitted
    tandem.follows[index] = -1
    alone = tandem.head[chosen] < 0
    if alone:
        tandem.head[chosen] = index
    else:
        tandem.follows[tandem.tail[chosen]] = index
    tandem.tail[chosen] = index
    lane = first_of(state.lockstep, state, chosen)
    if state.spot[lane] < 0:
        _admit(tandem, chosen, now)
        _wake_up(state, lane, now, leaping, busy, 1)
    elif alone and replica.leap > 1:
        leaps.shorten(replica, now)
        rise(state.heap, state.spot, state.replicas, state.spot[chosen])


@part
def _admit(tandem: Tandem, index: int, now: float) -> None:
    """Let caches set out for a replica as long as it has places and blocks; those preempted there come first."""
    state = tandem.decode
    replica, pool = state.replicas[index], state.pools[0]
    refused = tandem.refused[index]
    while tandem.head[index] >= 0 and replica.running + replica.coming < pool.places:
        if replica.head >= 0 and not math.isnan(state.requests[replica.head].admitted):
            break
        request = tandem.head[index]
        needed = blocks_of(replica, state.requests[request].prompt + 1)
        if (replica.running > 0 or replica.kept > 0) and replica.free - needed < pool.watermark:
            break
        if refused:
            tandem.transfers.begun[request] = np.inf
        tandem.head[index] = tandem.follows[request]
        replica.free -= needed
        replica.kept += needed
        replica.coming += 1
        state.requests[request].admitted = now
        transfers.set_out(tandem.transfers, request, index, now)
    tandem.refused[index] = tandem.head[index] >= 0


@part
def _land(tandem: Tandem, now: float, leaping: bool, busy: Any) -> None:
    """Let a cache land: its source has its blocks back, and its target decodes it from the next step on."""
    index = transfers.land(tandem.transfers)
    source, target = int(tandem.transfers.source[index]), int(tandem.transfers.target[index])
    if tandem.transfers.links[0].sent > 0:
        tandem.decode.requests[index].first = now
    prefill = tandem.prefill.replicas[source]
    blocks = blocks_of(prefill, tandem.prefill.requests[index].prompt)
    prefill.kept -= blocks
    prefill.free += blocks
    first = first_of(tandem.prefill.lockstep, tandem.prefill, source)
    if tandem.prefill.spot[first] < 0:
        _wake_up(tandem.prefill, first, now, False, busy, 0)
    tandem.follows[index] = -1
    if tandem.first[target] < 0:
        tandem.first[target] = index
    else:
        tandem.follows[tandem.last[target]] = index
    tandem.last[target] = index
    state = tandem.decode
    replica = state.replicas[target]
    lane = first_of(state.lockstep, state, target)
    if state.spot[lane] < 0:
        _join(tandem, target)
        _admit(tandem, target, now)
        _wake_up(state, lane, now, leaping and tandem.joined[target] < 0, busy, 1)
    elif replica.leap > 1:
        leaps.shorten(replica, now)
        rise(state.heap, state.spot, state.replicas, state.spot[target])


@part
def _join(tandem: Tandem, index: int) -> None:
    """Let what landed at a replica decode from its next step on."""
    state = tandem.decode
    replica, slots, sent = state.replicas[index], state.slots[index], tandem.transfers.links[0].sent
    while tandem.first[index] >= 0:
        landed = tandem.first[index]
        tandem.first[index] = tandem.follows[landed]
        request = state.requests[landed]
        reserved = blocks_of(replica, request.prompt + 1)
        replica.kept -= reserved
        there = request.prompt + sent - 1
        replica.free += reserved - blocks_of(replica, there)
        replica.coming -= 1
        request.generated = sent
        place = batch.seat(replica, slots, landed, there, there)
        if sent == 0:
            tandem.slot[landed] = place
            tandem.follows[landed] = tandem.joined[index]
            tandem.joined[index] = landed
        batch.decode(replica, slots, state.keys[index], state.phases[index], place, request)


@part
def _decoded(tandem: Tandem, finished: Any, first: int, last: int, leaping: bool, busy: Any, asking: Any) -> int:
    """End the present steps of a decode replica and start the next; return how many measured requests it finished."""
    state = tandem.decode
    index = int(state.heap[0])
    served = finish(state.lockstep, state, index, finished)
    lanes, done = range(index, index + count_of(state.lockstep, state, index)), 0
    for lane in lanes:
        _send_first(tandem, lane)
    for place in range(served):
        done += int(first <= finished[place] < last)
        _ask_again(tandem, finished[place], state.requests[finished[place]].finish, asking)
    for lane in lanes:
        _join(tandem, lane)
        _admit(tandem, lane, state.replicas[lane].clock)
    busy[1] += start_next(state, index, True, leaping and tandem.joined[index] < 0, busy[1])
    return done


@part
def _send_first(tandem: Tandem, index: int) -> None:
    """Let those that joined have their first token with the step that ends, unless they gave way in it.

    In a step of prompts alone nobody decodes, and they wait for the next. Who gave way has a seat, if one at all, for
    a target that is no shorter than the prompt.
    """
    state = tandem.decode
    replica, slots = state.replicas[index], state.slots[index]
    if replica.leap == 0:
        return
    while tandem.joined[index] >= 0:
        request = tandem.joined[index]
        tandem.joined[index] = tandem.follows[request]
        own, slot = state.requests[request], slots[tandem.slot[request]]
        decodes = slot.request == request and slot.target < own.prompt
        if math.isnan(own.first) and (decodes or not math.isnan(own.finish)):
            own.first = replica.handed_out
