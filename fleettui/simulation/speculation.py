"""Speculative decoding in a replica's engine, compiled: what steps commit, read and hold that verify drafts.

A step computes `width` tokens of each decoding sequence, its own and the drafts, and commits some of them. By
expectation these are, of every sequence of a replica, ⌊c·s⌋ in its first s steps, c = gain/per: then leaps are exact.
Where the pool is `sampled` each sequence has its own luck, a hash of the run's seed, and no step is skipped. A sequence
holds blocks for the drafts beyond its cached tokens, from its prompt on. What its last step commits beyond its end is
cut off, and is not counted as decoded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fleettui.domain.speculation import MOST_DRAFTS
from fleettui.simulation.blocks import blocks_of
from fleettui.simulation.compiled import called, compiled, part
from fleettui.simulation.heaps import heapify

SLOT_BITS = 20
SLOT_MASK = 2**SLOT_BITS - 1
"""A key of the heap of completions is `ends` and the slot in one number."""
CHANCES = 2**31
MIX = CHANCES - 1
"""Luck is one of so many whole numbers; products of two stay below 2^63."""


def chances(rates: Sequence[float]) -> list[int]:
    """Return, for each draft, the luck below which it is accepted, of MOST_DRAFTS."""
    return [round(rate * CHANCES) for rate in rates] + [0] * (MOST_DRAFTS - len(rates))


@part
def tokens_of(replica: Any, steps: int) -> int:
    """Return the tokens that so many steps commit of each decoding sequence, by expectation."""
    if replica.width == 1:
        return steps
    return int((replica.over + steps * replica.gain) // replica.per)


@part
def read_of(replica: Any, steps: int) -> int:
    """Return the cached tokens that so many steps of the decoding sequences read, each with those that it computes."""
    if replica.width == 1:
        return int(steps * replica.context + replica.decodes * ((steps * (steps + 1)) >> 1))
    before = floor_sum(steps, replica.per, replica.gain, replica.over)
    return int(steps * (replica.context + replica.decodes * replica.width) + replica.decodes * before)


@compiled
def floor_sum(count: int, divisor: int, factor: int, first: int) -> int:
    """Return Σ ⌊(factor·j + first)/divisor⌋ over j < count, none of them below 0, by Euclid's algorithm."""
    total = 0
    while count > 0:
        total += (count - 1) * count // 2 * (factor // divisor) + count * (first // divisor)
        factor %= divisor
        first %= divisor
        most = factor * count + first
        if most < divisor:
            break
        count, divisor, factor, first = most // divisor, factor, divisor, most % divisor
    return int(total)


@called
def steps_with_drafts(replica: Any, keys: Any, phases: Any) -> int:
    """Return the steps until a sequence completes or a block is missing; the first step has its blocks."""
    most = (keys[0] >> SLOT_BITS) - replica.done
    steps = -((replica.over - most * replica.per) // replica.gain)
    tokens, last = tokens_of(replica, 1), tokens_of(replica, steps)
    cycles = replica.free // replica.decodes
    free = replica.free - cycles * replica.decodes
    tokens += cycles << replica.bits
    while tokens < last:
        free -= phases[-(replica.done + tokens) & replica.mask]
        if free < 0:
            break
        tokens += 1
    if tokens >= last:
        return int(steps)
    return int(((tokens + 1) * replica.per - replica.over - 1) // replica.gain)


@compiled
def luck_of(seed: int, index: int, place: int) -> int:
    """Return a request's luck at a place of its output, of CHANCES: a hash, so that it needs no memory.

    Two rounds of the multiply-xorshift of C. Wellons' hash-prospector, on 31 bits.
    """
    found = (seed + index * 0x61C88647 + place * 0x27D4EB2F) & MIX
    found = ((found ^ (found >> 16)) * 0x21F0AAAD) & MIX
    found = ((found ^ (found >> 15)) * 0x735A2D97) & MIX
    return int(found ^ (found >> 15))


@part
def commit_of(pool: Any, request: Any, index: int, left: int) -> int:
    """Return the tokens that a step commits of a sequence that lacks so many, by its own luck."""
    own, found = luck_of(pool.luck, index, request.output - left), 1
    while found < pool.width and own < pool.chances[found - 1]:
        found += 1
    return int(min(found, left))


def commit_at(pool: Any, request: Any, index: int, left: int) -> int:
    """Return what `commit_of` does, in plain Python."""
    own = luck_of(int(pool["luck"]), int(index), int(request["output"] - left))
    drafts = pool["chances"][: pool["width"] - 1]
    return int(min(1 + int((own < drafts).sum()), left))


@called
def blocks_wanted(pool: Any, replica: Any, slots: Any, keys: Any, requests: Any) -> int:
    """Return the blocks that the decoding sequences need for what the coming step commits, each by its own luck."""
    found = 0
    for at in range(replica.keys):
        slot = slots[keys[at] & SLOT_MASK]
        held = slot.offset + replica.done + replica.width - 1
        commit = commit_of(pool, requests[slot.request], slot.request, slot.ends - replica.done)
        found += blocks_of(replica, held + commit) - blocks_of(replica, held)
    return int(found)


@part
def commit(pool: Any, replica: Any, slots: Any, keys: Any, phases: Any, requests: Any) -> int:
    """Let every decoding sequence have what the step committed of it, beyond the one token of any step.

    Returns these tokens. The keys are a heap again when they are sorted.
    """
    found = 0
    for at in range(replica.keys):
        place = keys[at] & SLOT_MASK
        slot = slots[place]
        more = commit_of(pool, requests[slot.request], slot.request, slot.ends - replica.done) - 1
        phase = slot.offset + replica.width - 1
        phases[phase & replica.mask] -= 1
        phases[(phase + more) & replica.mask] += 1
        slot.offset += more
        slot.ends -= more
        keys[at] = (slot.ends << SLOT_BITS) | place
        found += more
    heapify(keys, replica.keys)
    return int(found)
