"""Preempted sequences that come back from the memory beside the GPU, compiled, and decode as if they had not been away.

The head of the queue does when it finds a place, and blocks beside the growth of those that decode, before anything
else is admitted: in the step that begins with its move.
"""

from __future__ import annotations

from typing import Any

from fleettui.simulation import batch
from fleettui.simulation.blocks import blocks_of
from fleettui.simulation.compiled import called, part
from fleettui.simulation.swap_out import bring, cached


@part
def bring_back(pool: Any, replica: Any, slots: Any, keys: Any, phases: Any, requests: Any, cache: Any) -> None:
    """Let those at the head of the queue that were moved out decode again, as long as they fit."""
    if pool.beside > 0:
        while _fits(pool, replica, slots, keys, phases, requests):
            _bring_back(pool, replica, slots, keys, phases, requests, cache)


@called
def _fits(pool: Any, replica: Any, slots: Any, keys: Any, phases: Any, requests: Any) -> bool:
    """Return whether the head of the queue was moved out, and finds a place, and blocks for its next step, too."""
    if replica.head < 0 or not requests[replica.head].away or replica.running >= pool.places:
        return False
    if replica.running == 0:
        return True
    needed = blocks_of(replica, cached(requests[replica.head]) + 2 * replica.width - 1)
    return bool(replica.free - needed - batch.grows(pool, replica, slots, keys, phases, requests) >= pool.watermark)


@called
def _bring_back(pool: Any, replica: Any, slots: Any, keys: Any, phases: Any, requests: Any, cache: Any) -> None:
    index = replica.head
    request = requests[index]
    tokens = cached(request)
    blocks = blocks_of(replica, tokens)
    replica.head = request.next
    batch.take(replica, cache, blocks_of(replica, tokens + replica.width - 1))
    place = batch.seat(replica, slots, index, tokens, tokens)
    batch.decode(replica, slots, keys, phases, place, request)
    request.away = False
    replica.away -= blocks
    bring(pool, replica, blocks)
