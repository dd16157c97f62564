"""Pools by length; inside a pool the replica whose requests have the fewest prompt tokens, ties at random."""

from __future__ import annotations

from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen, Sights


def choose(state: Sights, pool: PoolSeen, request: Coming, /) -> int:
    """Return a replica where the prompts of what waits and runs have the fewest tokens."""
    chosen, least, equals = pool.start, -1, 0
    for index in range(pool.start, pool.start + pool.replicas):
        score = state.seen[index].tokens
        if least < 0 or score < least:
            least, equals = score, 0
        equals += int(score == least)
    turn = int(request.tie * equals)
    for index in range(pool.start, pool.start + pool.replicas):
        if state.seen[index].tokens == least:
            if turn == 0:
                chosen = index
            turn -= 1
    return int(chosen)


ROUTER = Router(
    name="least-tokens",
    help="fewest prompt tokens",
    sends="to the replica whose waiting and running prompts have the fewest tokens",
    choose=choose,
    one_queue=True,
    knows="prompt tokens",
)
