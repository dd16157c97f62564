"""One replica's engine, compiled: what its next step holds, how long it takes, what it leaves (model.md §6).

In the order of a vLLM-v1 engine: every decoding sequence gets one token; the prompt that was cut goes on; then, if
nobody was preempted, waiting requests are admitted by their scheduler's rank while budget, places and blocks last.
A decoding sequence's context is its slot's `offset` plus the replica's `done`, so that a step changes no slot.
"""

from __future__ import annotations

import math
from typing import Any

from fleettui.scheduling import SCHEDULERS
from fleettui.simulation.compiled import by_code, compiled
from fleettui.simulation.curve import attention_time
from fleettui.simulation.heaps import pop_key, push_key, remove_key

rank = by_code([scheduler.rank for scheduler in SCHEDULERS])

SLOT_BITS = 20
SLOT_MASK = 2**SLOT_BITS - 1
"""A key of the heap of completions is `ends` and the slot in one number."""


@compiled
def blocks_of(tokens: int) -> int:
    """Return the blocks of 16 tokens that hold `tokens`."""
    return (tokens + 15) >> 4


@compiled
def leap_time(replica: Any, steps: int) -> float:
    """Return the seconds of `steps` steps of the decoding sequences alone: w·k + h·(k·context + n·k(k+1)/2)."""
    read = steps * replica.context + replica.decodes * ((steps * (steps + 1)) >> 1)
    return float(steps * replica.base + replica.per_context * read)


@compiled
def start(
    pool: Any,
    replica: Any,
    slots: Any,
    keys: Any,
    fresh: Any,
    phases: Any,
    requests: Any,
    linear: Any,
    batches: Any,
    prompts: Any,
    leaping: bool,
) -> bool:
    """Compose the step that starts at `replica.clock` and set when it ends; False when there is nothing to do.

    While nothing but decoding can happen, the steps up to the next completion or shortage of blocks are one leap.
    """
    preempted = _grow(pool, replica, slots, keys, phases, requests)
    prompt, context, attention = 0, 0, 0.0
    replica.chunks, replica.fresh = 0, 0
    if replica.partial >= 0 and replica.decodes < pool.budget:
        prompt, context = _continue(pool, replica, slots, fresh)
        if prompt == 0:
            _preempt(pool, replica, slots, keys, phases, requests)
            preempted = True
        elif pool.curved:
            attention += attention_time(prompts, prompt, context)
    while not preempted and replica.head >= 0:
        tokens = _admit(pool, replica, slots, fresh, requests, pool.budget - replica.decodes - prompt)
        if tokens == 0:
            break
        prompt += tokens
        context += slots[replica.last].computed
        if pool.curved:
            attention += attention_time(prompts, tokens, slots[replica.last].computed)
    if pool.curved:
        replica.base, replica.per_context = batches[replica.decodes].base, batches[replica.decodes].per_context
    replica.prompted, replica.reached, replica.leap = prompt, context, 1
    if prompt > 0:
        if pool.curved:
            kernels = leap_time(replica, 1) + (linear[replica.decodes + prompt] - linear[replica.decodes])
            span = max(kernels + (pool.floor + attention), pool.least_step) + pool.extra
        else:
            read = replica.context + replica.decodes + context
            span = pool.base + pool.per_context * read + pool.per_prompt * prompt
        replica.wake = replica.clock + span
        return True
    if replica.decodes == 0:
        return False
    if leaping and not preempted:
        replica.leap = _steps_alone(replica, keys, phases)
    replica.wake = replica.clock + leap_time(replica, replica.leap)
    return True


@compiled
def shorten(replica: Any, arrival: float) -> None:
    """Let a leap end with the first step that is over at `arrival` or later."""
    slope = replica.per_context * replica.decodes * 0.5
    linear = replica.base + replica.per_context * replica.context + slope
    left = arrival - replica.clock
    guess = (
        left / linear if slope == 0.0 else (math.sqrt(linear * linear + 4.0 * slope * left) - linear) / (2.0 * slope)
    )
    steps = min(max(int(guess), 1), replica.leap)
    while steps > 1 and replica.clock + leap_time(replica, steps - 1) >= arrival:
        steps -= 1
    while steps < replica.leap and replica.clock + leap_time(replica, steps) < arrival:
        steps += 1
    replica.leap = steps
    replica.wake = replica.clock + leap_time(replica, steps)


@compiled
def end(pool: Any, replica: Any, slots: Any, keys: Any, fresh: Any, phases: Any, requests: Any, finished: Any) -> int:
    """Finish the present steps at `replica.wake`; return how many requests are complete, listed in `finished`."""
    steps, decodes = replica.leap, replica.decodes
    _account(pool, replica)
    replica.free -= _growth(replica, phases, steps)
    replica.done += steps
    replica.context += steps * decodes
    count = 0
    while replica.keys > 0 and keys[0] >> SLOT_BITS <= replica.done:
        slot = keys[0] & SLOT_MASK
        pop_key(keys, replica.keys)
        replica.keys -= 1
        finished[count] = slots[slot].request
        count += 1
        _leave_decode(replica, slots, phases, slot)
    for place in range(replica.fresh):
        slot = fresh[place]
        request = requests[slots[slot].request]
        if request.generated == 0:
            request.first = replica.wake
        request.generated += 1
        if request.generated >= request.output:
            finished[count] = slots[slot].request
            count += 1
            replica.free += blocks_of(slots[slot].target)
            _vacate(replica, slots, slot)
        else:
            _decode(replica, slots, keys, phases, slot, request)
    for place in range(count):
        requests[finished[place]].finish = replica.wake
    replica.clock = replica.wake
    return count


@compiled
def _is_before(pool: Any, waiting: Any, own: float) -> bool:
    """Return whether a waiting request is served before one that comes now and ranks `own`."""
    return not math.isnan(waiting.admitted) or rank(pool.scheduler, waiting) <= own


@compiled
def wait(pool: Any, replica: Any, requests: Any, index: int) -> None:
    """Put request `index` into the queue before the first that ranks after it, at the end if the last does not.

    What was preempted stands at the head whatever its rank.
    """
    own = rank(pool.scheduler, requests[index])
    if replica.head < 0 or _is_before(pool, requests[replica.tail], own):
        before, after = replica.tail, -1
    else:
        before, after = -1, replica.head
        while _is_before(pool, requests[after], own):
            before, after = after, requests[after].next
    requests[index].next = after
    if after < 0:
        replica.tail = index
    if replica.head < 0 or before < 0:
        replica.head = index
    else:
        requests[before].next = index


@compiled
def _account(pool: Any, replica: Any) -> None:
    """Add the present steps to the pool's sums."""
    span = replica.wake - replica.clock
    pool.steps += replica.leap
    pool.busy += span
    pool.joined += replica.leap * replica.decodes + replica.chunks
    pool.decoded += replica.leap * replica.decodes
    pool.prompted += replica.prompted
    pool.active += span * replica.running
    if pool.curved:
        pool.read += replica.leap * replica.context + replica.decodes * ((replica.leap * (replica.leap + 1)) >> 1)
        pool.reached += replica.reached


@compiled
def _growth(replica: Any, phases: Any, steps: int) -> int:
    """Return the blocks that the decoding sequences fill in `steps` steps, those of the first one left out."""
    blocks = replica.decodes * ((steps - 1) >> 4)
    for later in range(((steps - 1) & ~15) + 1, steps):
        blocks += phases[-(replica.done + later) & 15]
    return int(blocks)


@compiled
def _steps_alone(replica: Any, keys: Any, phases: Any) -> int:
    """Return the steps until a sequence completes or a block is missing; the first step has its blocks."""
    most = (keys[0] >> SLOT_BITS) - replica.done
    free = replica.free
    if replica.decodes * ((most + 14) >> 4) <= free:
        return int(most)
    cycles = free // replica.decodes
    free -= cycles * replica.decodes
    steps = 1 + 16 * cycles
    while steps < most:
        free -= phases[-(replica.done + steps) & 15]
        if free < 0:
            break
        steps += 1
    return int(min(steps, most))


@compiled
def _grow(pool: Any, replica: Any, slots: Any, keys: Any, phases: Any, requests: Any) -> bool:
    """Give every decoding sequence the block that its next token needs; True if that took preemption."""
    preempted = False
    phase = -replica.done & 15
    while phases[phase] > replica.free:
        _preempt(pool, replica, slots, keys, phases, requests)
        preempted = True
    replica.free -= phases[phase]
    return preempted


@compiled
def _continue(pool: Any, replica: Any, slots: Any, fresh: Any) -> tuple[int, int]:
    """Go on with the prompt that was cut; return its tokens and its context, no token when blocks are missing."""
    slot = slots[replica.partial]
    tokens = min(slot.target - slot.computed, pool.budget - replica.decodes)
    needed = blocks_of(slot.computed + tokens) - blocks_of(slot.computed)
    if needed > replica.free:
        return 0, 0
    _compute(replica, slots, fresh, replica.partial, tokens, needed)
    return tokens, slot.computed


@compiled
def _admit(pool: Any, replica: Any, slots: Any, fresh: Any, requests: Any, budget: int) -> int:
    """Admit the head of the queue; return the prompt tokens that it gets in this step, 0 when it must wait.

    A replica that runs nothing admits whatever fits: every request fits alone.
    """
    if budget <= 0 or replica.running >= pool.places:
        return 0
    index = replica.head
    request = requests[index]
    target = request.prompt + request.generated
    tokens = min(target - request.cached, budget)
    needed = blocks_of(request.cached + tokens)
    if replica.running > 0 and replica.free - needed < pool.watermark:
        return 0
    replica.head = request.next
    place = replica.vacant
    slot = slots[place]
    replica.vacant = slot.after
    slot.request, slot.target, slot.computed, slot.ends = index, target, request.cached, -1
    slot.before, slot.after = replica.last, -1
    if replica.last >= 0:
        slots[replica.last].after = place
    replica.last = place
    replica.running += 1
    if math.isnan(request.admitted):
        request.admitted = replica.clock
    _compute(replica, slots, fresh, place, tokens, needed)
    return int(tokens)


@compiled
def _compute(replica: Any, slots: Any, fresh: Any, place: int, tokens: int, needed: int) -> None:
    """Let a sequence compute `tokens` of its prompt in `needed` further blocks."""
    slot = slots[place]
    replica.free -= needed
    slot.computed += tokens
    replica.chunks += 1
    if slot.computed < slot.target:
        replica.partial = place
    else:
        replica.partial = -1
        fresh[replica.fresh] = place
        replica.fresh += 1


@compiled
def _decode(replica: Any, slots: Any, keys: Any, phases: Any, place: int, request: Any) -> None:
    """Let a sequence whose prompt is complete decode from the next step on."""
    slot = slots[place]
    slot.offset = slot.target - replica.done
    slot.ends = replica.done + request.output - request.generated
    phases[slot.offset & 15] += 1
    push_key(keys, replica.keys, (slot.ends << SLOT_BITS) | place)
    replica.keys += 1
    replica.decodes += 1
    replica.context += slot.target


@compiled
def _leave_decode(replica: Any, slots: Any, phases: Any, place: int) -> None:
    """Take a sequence, no longer in the heap of completions, off the decoding ones, its blocks freed."""
    slot = slots[place]
    cached = slot.offset + replica.done
    replica.free += blocks_of(cached)
    phases[slot.offset & 15] -= 1
    replica.decodes -= 1
    replica.context -= cached
    _vacate(replica, slots, place)


@compiled
def _vacate(replica: Any, slots: Any, place: int) -> None:
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


@compiled
def _preempt(pool: Any, replica: Any, slots: Any, keys: Any, phases: Any, requests: Any) -> None:
    """Send the sequence admitted last back to the head of the queue, to compute its prompt and output so far again.

    A prompt that was cut is always the last: it took what was left of the budget.
    """
    place = replica.last
    slot = slots[place]
    index = slot.request
    request = requests[index]
    if place == replica.partial:
        replica.free += blocks_of(slot.computed)
        replica.partial = -1
        _vacate(replica, slots, place)
    else:
        remove_key(keys, replica.keys, (slot.ends << SLOT_BITS) | place)
        replica.keys -= 1
        request.generated = request.output - (slot.ends - replica.done)
        _leave_decode(replica, slots, phases, place)
    request.next = replica.head
    if replica.head < 0:
        replica.tail = index
    replica.head = index
    pool.preempted += 1
