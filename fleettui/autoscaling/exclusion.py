"""Replicas that get no more requests while too many wait at them: a slow one is left alone until its queue is empty."""

from __future__ import annotations

from dataclasses import dataclass, field

from fleettui.simulation.elastic import ElasticPool


@dataclass(slots=True, kw_only=True)
class Exclusion:
    """The serving replicas of `pool` that get no requests now: those at which more than `most` wait at a look.

    Each is let in again at the first look that finds nobody waiting there. One at least is never left out, the one
    with the shortest queue.
    """

    pool: ElasticPool
    most: int
    out: set[int] = field(default_factory=set)

    def look(self) -> None:
        """Leave out, and let in, by the queues of the present moment."""
        waiting = self.waiting()
        for place in sorted(self.out):
            if not waiting[place]:
                self.let_in(place)
        for place in sorted(range(len(waiting)), key=lambda place: -waiting[place]):
            if waiting[place] > self.most and place not in self.out and len(self.out) + 1 < len(waiting):
                self.out.add(place)
                self.pool.shut(place)

    def let_in(self, place: int) -> None:
        """Let a replica get requests again, where it does not."""
        if place in self.out:
            self.out.remove(place)
            self.pool.shut(place, again=True)

    def waiting(self) -> list[int]:
        """Return how many wait at each serving replica."""
        away = self.pool.away * self.pool.lanes
        return [one - away * (place in self.out) for place, one in enumerate(waiting_at(self.pool))]


def waiting_at(pool: ElasticPool) -> list[int]:
    """Return how many wait at each serving replica, of several rows together, as its loads have it."""
    rows = pool.serving_rows().reshape(pool.serving, pool.lanes)
    found: list[int] = (rows["load"] - rows["running"]).sum(axis=1).tolist()
    return found
