"""Pools by length, but a request a little too long for the next shorter pool has its prompt rewritten to fit there.

That is Compress-and-Route (model.md §8): with an end B of the shorter pool, requests of up to γB tokens, of whose
prompts a share bears it. Inside a pool the replica with the fewest requests. Who is rewritten is drawn before the run,
since nothing but its length and its text decides it; γ and the share are the fleet's.
"""

from __future__ import annotations

from fleettui.routing.length import choose
from fleettui.routing.router import Router

ROUTER = Router(
    name="compress",
    help="a shorter pool by rewritten prompts",
    sends="to the replica with the fewest requests",
    choose=choose,
    compresses=True,
    one_queue=True,
    knows="requests, what compresses",
)
