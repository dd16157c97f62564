"""What preempted sequences had cached, moved to a memory beside the GPU, compiled.

It is so where a pool has such a memory and there is room in it; otherwise what was preempted computes all again, as a
prompt that was cut always does. The blocks of a sequence that is moved out serve others in the same step, which begins
with its moves, over a link that takes so many seconds a block, one after the other. How it comes back is in `swap_in`.
"""

from __future__ import annotations

from typing import Any

from fleettui.simulation.blocks import blocks_of
from fleettui.simulation.compiled import called, part


@part
def put_away(pool: Any, replica: Any, request: Any) -> None:
    """Move out what a decoding sequence that gives way has cached, if there is room for it."""
    if pool.beside > 0:
        _put_away(pool, replica, request)


@called
def _put_away(pool: Any, replica: Any, request: Any) -> None:
    blocks = blocks_of(replica, cached(request))
    if replica.away + blocks <= pool.beside:
        request.away = True
        replica.away += blocks
        replica.moving += blocks
        pool.put += blocks


@part
def cached(request: Any) -> int:
    """Return the tokens that a decoding sequence has cached before a step: all but the last that it emitted."""
    return int(request.prompt + request.generated - 1)


@part
def bring(pool: Any, replica: Any, blocks: int) -> None:
    """Let the step that starts begin with so many blocks coming from the memory."""
    replica.moving += blocks
    pool.brought += blocks


@part
def seconds(pool: Any, replica: Any) -> float:
    """Return the seconds of the moves with which the present step begins."""
    found = pool.move * replica.moving
    replica.moving = 0
    return float(found)
