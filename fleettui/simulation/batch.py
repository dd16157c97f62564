"""A replica's batch, compiled: who joins it, goes on in it, gives way and leaves, and the blocks that they hold.

A decoding sequence's context is its slot's `offset` plus the replica's `done`, so that a step changes no slot.
"""

from __future__ import annotations

import math
from typing import Any

from fleettui.simulation import free_blocks, prefix_cache, prefix_tiers, swap_out
from fleettui.simulation.blocks import blocks_of
from fleettui.simulation.compiled import called, part
from fleettui.simulation.heaps import push_key, remove_key
from fleettui.simulation.speculation import SLOT_BITS, blocks_wanted, tokens_of


@part
def take(replica: Any, cache: Any, blocks: int) -> None:
    """Take so many of a replica's free blocks."""
    replica.free -= blocks
    if cache is not None and blocks > 0:
        free_blocks.take(cache, blocks)


@part
def give_back(replica: Any, cache: Any, index: int, tokens: int, beyond: int) -> None:
    """Free the blocks that hold a request's `tokens` and its drafts, so many tokens beyond them.

    Where prefixes are cached, what the tokens hold can be hit there.
    """
    blocks = blocks_of(replica, tokens + beyond)
    replica.free += blocks if cache is None else prefix_cache.give_back(cache, index, tokens, blocks)


@part
def grow(pool: Any, replica: Any, slots: Any, keys: Any, phases: Any, requests: Any, cache: Any) -> bool:
    """Give every decoding sequence the blocks that its next tokens need; True if that took preemption."""
    preempted = False
    needed = grows(pool, replica, slots, keys, phases, requests)
    while needed > replica.free:
        place = victim(pool, replica, slots, requests)
        preempt(pool, replica, slots, keys, phases, requests, cache, place)
        preempted = True
        needed = grows(pool, replica, slots, keys, phases, requests)
    take(replica, cache, needed)
    return preempted


@part
def grows(pool: Any, replica: Any, slots: Any, keys: Any, phases: Any, requests: Any) -> int:
    """Return the blocks that the decoding sequences need for what the coming step commits of them."""
    if replica.width == 1:
        return int(phases[-replica.done & replica.mask])
    if pool.sampled:
        return int(blocks_wanted(pool, replica, slots, keys, requests))
    found = 0
    for later in range(tokens_of(replica, 1)):
        found += phases[-(replica.done + later) & replica.mask]
    return int(found)


@part
def victim(pool: Any, replica: Any, slots: Any, requests: Any) -> int:
    """Return the slot of the sequence that gives way first: the last admitted of class batch, or else of all."""
    place = replica.last
    if pool.classed:
        while place >= 0 and not requests[slots[place].request].batch:
            place = slots[place].before
    return int(replica.last if place < 0 else place)


@called
def make_room(pool: Any, replica: Any, slots: Any, keys: Any, phases: Any, requests: Any, cache: Any) -> bool:
    """Preempt sequences of class batch until an interactive prompt that was cut finds the blocks of its next step.

    They are those that remain when every decode beside it has its own. True if that took preemption.
    """
    slot = slots[replica.partial]
    preempted = False
    while not requests[slot.request].batch:
        beside = 0 if pool.alone else replica.decodes * replica.width
        tokens = min(slot.target - slot.computed, pool.budget - beside)
        needed = _further(replica, slot.computed, tokens)
        if not pool.alone:
            needed += grows(pool, replica, slots, keys, phases, requests)
        place = victim(pool, replica, slots, requests)
        if needed <= replica.free or not requests[slots[place].request].batch:
            break
        preempt(pool, replica, slots, keys, phases, requests, cache, place)
        preempted = True
    return preempted


@part
def go_on(replica: Any, slots: Any, fresh: Any, cache: Any, budget: int) -> tuple[int, int]:
    """Go on with the prompt that was cut; return its tokens and its context, no token when blocks are missing."""
    slot = slots[replica.partial]
    tokens = min(slot.target - slot.computed, budget)
    needed = _further(replica, slot.computed, tokens)
    if needed > replica.free:
        return 0, 0
    compute(replica, slots, fresh, cache, replica.partial, tokens, needed)
    return tokens, slot.computed


@part
def _further(replica: Any, computed: int, tokens: int) -> int:
    """Return the blocks that `tokens` more need of a prompt of which some are computed, its drafts' from then on."""
    beyond = replica.width - 1
    return blocks_of(replica, computed + tokens + beyond) - blocks_of(replica, computed + beyond)


@part
def admit(pool: Any, replica: Any, slots: Any, fresh: Any, requests: Any, cache: Any, budget: int) -> int:
    """Admit the head of the queue; return the prompt tokens that it gets in this step, 0 when it must wait.

    A replica that holds nothing admits whatever fits: every request fits alone. Where prompts run whole a step has room
    for all of it, or all of the budget for one that has grown beyond that. Where prefixes are cached, what is found of
    the prompt now is not computed; blocks that others use too cost none.
    """
    if budget <= 0 or replica.running + replica.coming >= pool.places:
        return 0
    index = replica.head
    request = requests[index]
    if request.away:
        return 0
    target = request.prompt + request.generated
    near, far = 0, 0
    if cache is not None:
        near, far = prefix_tiers.find(pool, cache, index, request)
    rest = target - request.cached
    tokens = min(rest, budget)
    if pool.whole and tokens < min(rest, pool.budget):
        return 0
    needed = blocks_of(replica, request.cached + tokens + replica.width - 1)
    if cache is not None:
        needed -= prefix_cache.in_use(cache, index, near)
    if (replica.running > 0 or replica.kept > 0) and replica.free - needed < pool.watermark:
        return 0
    replica.head = request.next
    place = seat(replica, slots, index, target, request.cached)
    if cache is not None:
        needed = blocks_of(replica, request.cached + tokens + replica.width - 1) - near * (cache.size >> replica.bits)
        prefix_tiers.hit(pool, replica, cache, index, request, near, far)
    if math.isnan(request.admitted):
        request.admitted = replica.clock
    compute(replica, slots, fresh, cache, place, tokens, needed)
    return int(tokens)


@part
def seat(replica: Any, slots: Any, index: int, target: int, computed: int) -> int:
    """Give request `index` the next unused slot, with so many tokens in the cache of its target; return the slot."""
    place = replica.vacant
    slot = slots[place]
    replica.vacant = slot.after
    slot.request, slot.target, slot.computed, slot.ends = index, target, computed, -1
    slot.before, slot.after = replica.last, -1
    slot.turn = replica.seated
    replica.seated += 1
    if replica.last >= 0:
        slots[replica.last].after = place
    replica.last = place
    replica.running += 1
    return int(place)


@part
def compute(replica: Any, slots: Any, fresh: Any, cache: Any, place: int, tokens: int, needed: int) -> None:
    """Let a sequence compute `tokens` of its prompt in `needed` further blocks."""
    slot = slots[place]
    take(replica, cache, needed)
    slot.computed += tokens
    if cache is not None and slot.computed >= cache.size:
        prefix_cache.note(cache, slot.request, slot.computed)
    replica.chunks += 1
    if slot.computed < slot.target:
        replica.partial = place
    else:
        replica.partial = -1
        fresh[replica.fresh] = place
        replica.fresh += 1


@part
def decode(replica: Any, slots: Any, keys: Any, phases: Any, place: int, request: Any) -> None:
    """Let a sequence whose prompt is complete decode from the next step on."""
    slot = slots[place]
    slot.offset = slot.target - replica.done
    slot.ends = replica.done + request.output - request.generated
    phases[(slot.offset + replica.width - 1) & replica.mask] += 1
    push_key(keys, replica.keys, (slot.ends << SLOT_BITS) | place)
    replica.keys += 1
    replica.decodes += 1
    replica.context += slot.target


@part
def leave_decode(replica: Any, slots: Any, phases: Any, cache: Any, place: int) -> None:
    """Take a sequence, no longer in the heap of completions, off the decoding ones, its blocks freed."""
    slot = slots[place]
    cached = slot.offset + replica.done
    after_end = max(replica.done - slot.ends, 0)
    give_back(replica, cache, slot.request, cached - after_end, replica.width - 1 + after_end)
    phases[(slot.offset + replica.width - 1) & replica.mask] -= 1
    replica.decodes -= 1
    replica.context -= cached
    vacate(replica, slots, place)


@part
def by_turn(slots: Any, places: Any, count: int) -> None:
    """Sort the first `count` slots of `places` by when they were given."""
    for end in range(1, count):
        own, at = places[end], end
        while at > 0 and slots[places[at - 1]].turn > slots[own].turn:
            places[at] = places[at - 1]
            at -= 1
        places[at] = own


@part
def vacate(replica: Any, slots: Any, place: int) -> None:
    """Return a slot to the unused ones."""
    slot = slots[place]
    if slot.after >= 0:
        slots[slot.after].before = slot.before
    else:
        replica.last = slot.before
    if slot.before >= 0:
        slots[slot.before].after = slot.after
    slot.request, slot.after = -1, replica.vacant
    replica.vacant = place
    replica.running -= 1


@called
def preempt(pool: Any, replica: Any, slots: Any, keys: Any, phases: Any, requests: Any, cache: Any, place: int) -> None:
    """Send the sequence at a slot back to the head of its class in the queue, to compute all that it had again.

    What it had is kept where there is a memory beside that takes it.

    That is the `victim`, or the prompt that was cut and finds no blocks: the last admitted too, since it took what was
    left of the budget, unless a cache landed meanwhile.
    """
    slot = slots[place]
    index = slot.request
    request = requests[index]
    if slot.ends < 0:
        give_back(replica, cache, index, slot.computed, replica.width - 1)
        replica.partial = -1
        vacate(replica, slots, place)
    else:
        remove_key(keys, replica.keys, (slot.ends << SLOT_BITS) | place)
        replica.keys -= 1
        request.generated = request.output - (slot.ends - replica.done)
        swap_out.put_away(pool, replica, request)
        leave_decode(replica, slots, phases, cache, place)
    before, after = -1, replica.head
    while after >= 0 and request.batch and not requests[after].batch:
        before, after = after, requests[after].next
    queue(replica, requests, index, before, after)
    pool.preempted += 1


@part
def queue(replica: Any, requests: Any, index: int, before: int, after: int) -> None:
    """Put request `index` into the queue between two that are neighbours there, -1 where there is none."""
    requests[index].next = after
    if after < 0:
        replica.tail = index
    if before < 0:
        replica.head = index
    else:
        requests[before].next = index


@part
def unqueue(replica: Any, requests: Any, before: int, index: int) -> None:
    """Take request `index`, which stands behind `before`, out of the queue; -1 where it is the head."""
    behind = requests[index].next
    if before < 0:
        replica.head = behind
    else:
        requests[before].next = behind
    if behind < 0:
        replica.tail = before
