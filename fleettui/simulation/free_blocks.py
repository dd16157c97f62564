"""Blocks of a replica that its prefix cache takes of those that are free, compiled, and thereby forgets.

What is forgotten goes to the memory beside the GPU, where there is one.
"""

from __future__ import annotations

from typing import Any

from fleettui.simulation import block_lists, far_blocks, spans
from fleettui.simulation.compiled import called, part


@part
def take(own: Any, blocks: int) -> None:
    """Take blocks of the replica from the head of the free ones, and forget what they held."""
    while blocks > 0:
        at = own.ends[0].head
        node = own.nodes[at]
        if node.span >= 0:
            _forget_some(own, at, blocks)
            continue
        taken = min(blocks, node.blocks)
        node.blocks -= taken
        blocks -= taken
        if node.blocks == 0:
            block_lists.unlink(own, at)
            block_lists.leave(own, at)


@called
def _forget_some(own: Any, at: int, blocks: int) -> None:
    """Let so many of the blocks of the node at the head hold nothing, at most all that it has."""
    node, each = own.nodes[at], own.ends[0].each
    span = own.spans[node.span]
    count = min((blocks + each - 1) // each, node.blocks)
    node.blocks -= count
    span.there -= count
    far_blocks.put(own.far, span.run, span.there, count)
    if node.blocks > 0:
        place = block_lists.new(own)
        own.nodes[place].span, own.nodes[place].blocks = -1, count * each
        own.nodes[place].before, own.nodes[place].after = -1, at
        node.before = place
        own.ends[0].head = place
        return
    if span.there == 0:
        spans.forget(own, node.span)
    node.span, node.blocks = -1, count * each
    if node.after >= 0 and own.nodes[node.after].span < 0:
        block_lists.join(own, at)


@part
def free_empty(own: Any, blocks: int) -> None:
    """Put blocks of the replica that hold nothing to be hit at the tail of the free ones."""
    tail = own.ends[0].tail
    if tail >= 0 and own.nodes[tail].span < 0:
        own.nodes[tail].blocks += blocks
        return
    at = block_lists.new(own)
    own.nodes[at].span, own.nodes[at].blocks = -1, blocks
    block_lists.append(own, at)
