"""Preempted sequences whose cache waits in a memory beside the GPU, in the plain oracle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.simulation.twin_drafts import commits

if TYPE_CHECKING:
    from fleettui.simulation.twin import Replica
    from fleettui.simulation.twin_request import Request


def put_away(replica: Replica, request: Request) -> None:
    """Move out what a decoding sequence that gives way has cached, if there is room for it.

    Without a memory beside, one that has nothing cached is computed again, too.
    """
    blocks, beside = replica.engine.blocks_of(request.computed), replica.engine.beside
    there = sum(_blocks(replica, one) for one in replica.waiting if one.away)
    if request.decodes and beside > 0 and there + blocks <= beside:
        request.away = True
        replica.moving += blocks


def bring_back(replica: Replica) -> None:
    """Let those at the head of the queue that were moved out decode again, as long as they fit."""
    drafts = replica.engine.drafting.drafts
    while replica.waiting and replica.waiting[0].away and len(replica.running) < replica.engine.places:
        head = replica.waiting[0]
        decoding = [one for one in replica.running if one.decodes]
        grows = sum(replica.missing(one, commits(replica, one)) for one in decoding)
        needed = replica.engine.blocks_of(head.target - 1 + 2 * drafts + 1)
        if replica.running and replica.free - needed - grows < replica.engine.watermark:
            return
        replica.moving += _blocks(replica, head)
        head.computed, head.beyond = head.target - 1, drafts
        head.away, head.decodes = False, True
        replica.running.append(replica.waiting.popleft())


def seconds(replica: Replica) -> float:
    """Return the seconds of the moves before the step that starts now."""
    found = replica.engine.move * replica.moving
    replica.moving = 0
    return found


def _blocks(replica: Replica, request: Request) -> int:
    return replica.engine.blocks_of(request.target - 1)
