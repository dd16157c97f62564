"""Pools by length; inside a pool the replica of the best score of three: overlap, queue, and memory of its prompts.

The overlap is the share of a prompt's tokens that the router sent to a replica before, by an index of its own: that
forgets what it has not sent for longest, and does not know what the replica has dropped. The weights, and the tokens
that the index holds of each replica, are those of llm-d's endpoint picker (pkg/epp/framework/plugins/scheduling/scorer
of llm-d-router at ebab687: prefix 3, queue 2, memory 2; 31,250 blocks of 64 tokens). Where that asks the replica for
the memory in use, what a router counts itself stands here: the tokens of all prompts that it has there.
"""

from __future__ import annotations

from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen, Sights

OVERLAP, QUEUE, MEMORY = 3.0, 2.0, 2.0


def choose(state: Sights, pool: PoolSeen, request: Coming, /) -> int:
    """Return a replica with the highest score, of several the first from one at random on."""
    fewest, most = -1, -1
    for index in range(pool.start, pool.start + pool.replicas):
        waiting = state.seen[index].load - state.seen[index].running
        most = max(most, waiting)
        fewest = waiting if fewest < 0 else min(fewest, waiting)
    chosen, best, first = 0, -1.0, int(request.tie * pool.replicas)
    for turn in range(pool.replicas):
        place = (first + turn) % pool.replicas
        one = state.seen[pool.start + place]
        queue = 1.0 if most == fewest else (most - (one.load - one.running)) / (most - fewest)
        memory = max(1.0 - one.tokens / (pool.block * pool.blocks), 0.0)
        score = OVERLAP * (one.sent / request.prompt) + QUEUE * queue + MEMORY * memory
        if score > best:
            chosen, best = place, score
    return int(pool.start + chosen)


ROUTER = Router(
    name="prefix-aware",
    help="most of its prompt sent there before, and load",
    sends="to the replica that was sent most of its prompt before, weighed against queue and memory of its prompts",
    choose=choose,
    one_queue=True,
    knows="prompts sent before, requests, prompt tokens",
    remembers=31_250 * 64,
    together=True,
    differs="waits are longer",
)
