"""One replica's engine, compiled: what its next step holds, how long it takes, what it leaves (model.md §6).

In the order of a vLLM-v1 engine: every decoding sequence gets one token; the prompt that was cut goes on; then, if
nobody was preempted, waiting requests are admitted while budget, places and blocks last: by class, interactive before
batch, and then by their scheduler's rank.
Where prompts run alone, as SGLang has it, whatever there is of them makes a step of its own, in which nobody decodes.
A decoding sequence's context is its slot's `offset` plus the replica's `done`, so that a step changes no slot. The
tokens of a step are handed out by an API process, one after the other: a request has its own when all of them are.
"""

from __future__ import annotations

import math
from typing import Any

from fleettui.scheduling import SCHEDULERS
from fleettui.simulation import batch, handing_out, leaps, prefix_tiers, ranks, swap_in, swap_out, turns
from fleettui.simulation.bounds import came_late
from fleettui.simulation.compiled import by_code, called, part
from fleettui.simulation.curve import attention_time
from fleettui.simulation.heaps import pop_key
from fleettui.simulation.speculation import SLOT_BITS, SLOT_MASK, commit, read_of, tokens_of

rank = by_code([scheduler.lasting for scheduler in SCHEDULERS])


@part
def start(
    pool: Any,
    replica: Any,
    slots: Any,
    keys: Any,
    fresh: Any,
    phases: Any,
    requests: Any,
    cache: Any,
    linear: Any,
    batches: Any,
    prompts: Any,
    leaping: bool,
    own: Any,
) -> bool:
    """Compose the step that starts at `replica.clock` and set when it ends; False when there is nothing to do.

    While nothing but decoding can happen, the steps up to the next completion or shortage of blocks are one leap. A
    leap of none is a step of prompts alone. `own` are its turns, None where prompts take none.
    """
    preempted = False
    ranks.renew(pool, replica, slots, requests, own)
    swap_in.bring_back(pool, replica, slots, keys, phases, requests, cache)
    turns.make_way(pool, replica, slots, keys, phases, requests, cache, own)
    if pool.classed and replica.partial >= 0:
        preempted = batch.make_room(pool, replica, slots, keys, phases, requests, cache)
    if not pool.alone:
        preempted = batch.grow(pool, replica, slots, keys, phases, requests, cache) or preempted
    prompt, context, attention, gave_way = 0, 0, 0.0, False
    replica.chunks, replica.fresh = 0, 0
    if replica.partial >= 0 or turns.has_cuts(own) or (replica.head >= 0 and not preempted):
        prompt, context, attention, gave_way = _prompts(
            pool, replica, slots, keys, fresh, phases, requests, cache, prompts, preempted, own
        )
    replica.prompted, replica.reached, replica.leap = prompt, context, 1
    if prompt > 0:
        replica.leap = int(not pool.alone)
        span = _span(pool, replica, linear, batches, prompt, context, attention)
        replica.wake = replica.clock + (span * leaps.pace_of(replica) if replica.paced else span)
        replica.wake += swap_out.seconds(pool, replica)
        return True
    if pool.alone:
        preempted = batch.grow(pool, replica, slots, keys, phases, requests, cache)
    if replica.decodes == 0:
        return False
    _note_times(pool, replica, batches, replica.decodes)
    settled = leaping and not preempted and not gave_way and not _finds_less(pool, replica, requests, cache)
    settled = settled and replica.moving == 0 and not ranks.may_change(pool, replica)
    if settled and not turns.may_preempt(pool, replica, slots, requests, own):
        replica.leap = leaps.leap(pool, replica, keys, phases)
    replica.wake = replica.clock + leaps.leap_time(replica, replica.leap)
    if replica.paced:
        leaps.end_at_change(replica)
    replica.wake += swap_out.seconds(pool, replica)
    return True


@part
def _note_times(pool: Any, replica: Any, batches: Any, decodes: int) -> None:
    """Note what a step of so many decodes alone takes, and each cached token of theirs, where that is not always so."""
    if pool.curved:
        replica.base, replica.per_context = batches[decodes].base, batches[decodes].per_context
    if replica.paced:
        pace = leaps.pace_of(replica)
        replica.base = (replica.base if pool.curved else pool.base) * pace
        replica.per_context = (replica.per_context if pool.curved else pool.per_context) * pace


@part
def _finds_less(pool: Any, replica: Any, requests: Any, cache: Any) -> bool:
    """Return whether the head of the queue may fit after a step in which it finds less of its prompt.

    What is found has to fit too; with less of it a prompt that is cut by the budget ends sooner in its first step.
    """
    if cache is None or replica.head < 0:
        return False
    head = requests[replica.head]
    return bool(head.prompt + head.generated > pool.budget - replica.decodes * replica.width)


@part
def _prompts(
    pool: Any,
    replica: Any,
    slots: Any,
    keys: Any,
    fresh: Any,
    phases: Any,
    requests: Any,
    cache: Any,
    prompts: Any,
    preempted: bool,
    own: Any,
) -> tuple[int, int, float, bool]:
    """Give the step its prompts, those of new requests if nobody was `preempted`.

    Returns their tokens and context, the seconds of their attention, and whether the prompt that was cut gave way.
    """
    if own is not None:
        given = turns.give_turns(pool, replica, slots, keys, fresh, phases, requests, cache, prompts, preempted, own)
        return given[0], given[1], given[2], given[3]
    budget = pool.budget if pool.alone else pool.budget - replica.decodes * replica.width
    prompt, context, attention, gave_way = 0, 0, 0.0, False
    if replica.partial >= 0 and budget > 0:
        prompt, context = batch.go_on(replica, slots, fresh, cache, budget)
        if prompt == 0:
            batch.preempt(pool, replica, slots, keys, phases, requests, cache, replica.partial)
            gave_way = True
        elif pool.curved:
            attention += attention_time(prompts, prompt, context)
    while not preempted and not gave_way and replica.head >= 0:
        tokens = batch.admit(pool, replica, slots, fresh, requests, cache, budget - prompt)
        if tokens == 0:
            break
        prompt += tokens
        context += slots[replica.last].computed
        if pool.curved:
            attention += attention_time(prompts, tokens, slots[replica.last].computed)
    return prompt, context, attention, gave_way


@part
def _span(pool: Any, replica: Any, linear: Any, batches: Any, prompt: int, context: int, attention: float) -> float:
    """Return the seconds of a step with prompts, beside the decodes unless they run alone."""
    decodes, read = 0, 0
    if not pool.alone:
        decodes = replica.decodes
        read = replica.context + decodes * replica.width
    if not pool.curved:
        return float(pool.base + pool.per_context * (read + context) + pool.per_prompt * prompt)
    kernels = batches[decodes].base + batches[decodes].per_context * read
    tokens = decodes * replica.width
    kernels += linear[tokens + prompt] - batches[decodes].linear
    return float(max(kernels + (pool.floor + attention), pool.least_step) + pool.extra)


@part
def go_through(pool: Any, replica: Any, index: int, stages: Any) -> None:
    """Let the step that was just composed wait for each stage of the instance in turn, and take an equal part there.

    Steps enter the first stage in the order in which they start, and none overtakes another. `stages` are those of all
    instances; this one's stand at the places of its lanes.
    """
    each, at = (replica.wake - replica.clock) / pool.lanes, replica.clock
    first = index - (index - pool.start) % pool.lanes
    for place in range(first, first + pool.lanes):
        at = max(at, stages[place]) + each
        stages[place] = at
    replica.held = at - replica.wake
    replica.wake = at


@part
def end(
    pool: Any,
    replica: Any,
    slots: Any,
    keys: Any,
    fresh: Any,
    phases: Any,
    requests: Any,
    cache: Any,
    finished: Any,
    bounds: Any,
) -> int:
    """Finish the present steps at `replica.wake`; return how many requests are complete, listed in `finished`, with
    those whose first token is too late for their clients.
    """
    steps = replica.leap
    if replica.width == 1:
        tokens, emitted = steps, steps * replica.decodes
    else:
        tokens, emitted = _committed(pool, replica, slots, keys, phases, requests)
    _account(pool, replica, emitted)
    handing_out.hand_out(pool, replica, emitted)
    if steps > 1:
        batch.take(replica, cache, leaps.growth(replica, phases, tokens_of(replica, 1), tokens))
    replica.over += steps * replica.gain - tokens * replica.per
    replica.done += tokens
    replica.context += emitted
    count = 0
    while replica.keys > 0 and keys[0] >> SLOT_BITS <= replica.done:
        slot = keys[0] & SLOT_MASK
        pool.decoded -= replica.done - slots[slot].ends
        pop_key(keys, replica.keys)
        replica.keys -= 1
        finished[count] = slot
        count += 1
    if cache is not None:
        batch.by_turn(slots, finished, count)
        prefix_tiers.count_put(pool, cache)
    for place in range(count):
        slot = finished[place]
        finished[place] = slots[slot].request
        batch.leave_decode(replica, slots, phases, cache, slot)
    for place in range(replica.fresh):
        slot = fresh[place]
        request = requests[slots[slot].request]
        if request.generated == 0:
            request.first = replica.handed_out
        request.generated += 1
        if request.generated >= request.output or came_late(bounds, request, slots[slot].request):
            finished[count] = slots[slot].request
            count += 1
            batch.give_back(replica, cache, slots[slot].request, slots[slot].target, replica.width - 1)
            batch.vacate(replica, slots, slot)
        else:
            batch.decode(replica, slots, keys, phases, slot, request)
    for place in range(count):
        requests[finished[place]].finish = replica.handed_out
    pool.presence += count * (replica.handed_out - replica.wake)
    replica.clock = replica.wake
    return count


@called
def _committed(pool: Any, replica: Any, slots: Any, keys: Any, phases: Any, requests: Any) -> tuple[int, int]:
    """Return what the present steps commit of every decoding sequence, and of all of them with their own luck too."""
    if not pool.sampled:
        tokens = tokens_of(replica, replica.leap)
        return tokens, tokens * replica.decodes
    more = commit(pool, replica, slots, keys, phases, requests) if replica.leap else 0
    return replica.leap, replica.leap * replica.decodes + more


@part
def rank_of(pool: Any, requests: Any, index: int, ranked: Any) -> float:
    """Return the rank of a request of a pool; where prompts take turns, that which it has there."""
    return rank(pool.scheduler, requests[index]) if ranked is None else ranked.turns[index].rank


@part
def _is_before(pool: Any, requests: Any, waiting: int, index: int, own: float, ranked: Any) -> bool:
    """Return whether a waiting request is served before one that comes now and ranks `own` in its class."""
    if requests[waiting].batch != requests[index].batch:
        return bool(requests[index].batch)
    return not math.isnan(requests[waiting].admitted) or rank_of(pool, requests, waiting, ranked) <= own


@part
def wait(pool: Any, replica: Any, requests: Any, index: int, ranked: Any) -> None:
    """Put request `index` into the queue before the first that ranks after it, at the end if the last does not.

    What was preempted stands at the head of its class whatever its rank. `ranked` are the turns, None without.
    """
    own = rank_of(pool, requests, index, ranked)
    if replica.head < 0:
        before, after = -1, -1
    elif _is_before(pool, requests, replica.tail, index, own, ranked):
        before, after = replica.tail, -1
    else:
        before, after = -1, replica.head
        while _is_before(pool, requests, after, index, own, ranked):
            before, after = after, requests[after].next
    batch.queue(replica, requests, index, before, after)


@part
def _account(pool: Any, replica: Any, emitted: int) -> None:
    """Add the present steps, which emit so many tokens beside those of new requests, to the pool's sums."""
    span = replica.wake - replica.clock
    pool.steps += max(replica.leap, 1)
    pool.busy += span - replica.held
    pool.joined += replica.leap * replica.decodes + replica.chunks
    pool.decoded += emitted
    pool.prompted += replica.prompted
    pool.active += span * replica.running
    if pool.curved:
        pool.read += read_of(replica, replica.leap)
        pool.reached += replica.reached
