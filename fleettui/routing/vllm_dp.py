"""Pools by length; inside a pool as vLLM balances its data-parallel engines, where a waiting request weighs four.

The engines tell their counts from time to time (100 ms there), and between two tellings the balancer adds what it sends
(vllm/v1/engine/core_client.py).
"""

from __future__ import annotations

from fleettui.routing.router import Router
from fleettui.routing.view import Coming, PoolSeen, Sights


def choose(state: Sights, pool: PoolSeen, request: Coming, /) -> int:
    """Return a replica with the least of 4 · waiting + running, ties at random."""
    chosen, least, equals = pool.start, -1, 0
    for index in range(pool.start, pool.start + pool.replicas):
        score = 4 * state.seen[index].load - 3 * state.seen[index].running
        if least < 0 or score < least:
            least, equals = score, 0
        equals += int(score == least)
    turn = int(request.tie * equals)
    for index in range(pool.start, pool.start + pool.replicas):
        if 4 * state.seen[index].load - 3 * state.seen[index].running == least:
            if turn == 0:
                chosen = index
            turn -= 1
    return int(chosen)


ROUTER = Router(
    name="vllm-dp",
    help="least of 4 x waiting + running",
    sends="to the replica with the least of 4 x waiting + running",
    choose=choose,
    one_queue=True,
    knows="waiting, running",
    counts=True,
)
