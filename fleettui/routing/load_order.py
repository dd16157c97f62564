"""A pool's replicas by how many requests are active or queued at each, kept in order in constant time.

Plain functions in the subset of Python that the simulation compiles; the twin calls them as they stand. `order` holds
a pool's replicas from `first` on, sorted by load; `rank` is each replica's place in it; `ends[start + l]` is how many
replicas of the pool have at most l requests. Those with exactly l stand together, so a load that changes by one is
one swap at the edge of its group.
"""

from __future__ import annotations

from typing import Any


def add_one(order: Any, rank: Any, ends: Any, first: int, start: int, replica: int, load: int) -> None:
    """Move `replica` from `load` requests to one more: it leaves its group at the far end."""
    ends[start + load] -= 1
    place = first + ends[start + load]
    other, own = order[place], rank[replica]
    order[place], order[own] = replica, other
    rank[replica], rank[other] = place, own


def take_one(order: Any, rank: Any, ends: Any, first: int, start: int, replica: int, load: int) -> None:
    """Move `replica` from `load` requests to one fewer: it leaves its group at the near end."""
    place = first + ends[start + load - 1]
    other, own = order[place], rank[replica]
    order[place], order[own] = replica, other
    rank[replica], rank[other] = place, own
    ends[start + load - 1] += 1
