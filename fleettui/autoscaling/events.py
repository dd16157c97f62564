"""What nobody foresees on a day: what happens to replicas at its moments, and the requests that it makes other ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fleettui.autoscaling.workers import Workers
from fleettui.domain.autoscale import Event
from fleettui.domain.failing import SlowReplica
from fleettui.simulation.draws import Draws


@dataclass(frozen=True, slots=True, kw_only=True)
class Strike:
    """What happens to the replicas of a pool at a moment: an event begins, or a warning is `over`."""

    at: float
    event: Event
    over: bool = False

    def happen(self, workers: Workers) -> None:
        """Let it happen; the pool was played up to it."""
        if self.over:
            workers.take_back(self.at)
        elif self.event.kind == "reclaim":
            workers.warn(self.event.size, self.at, self.event.end)
        else:
            workers.lose(self.event.size, self.at)


def strikes(events: Sequence[Event]) -> list[Strike]:
    """Return what happens to replicas that serve, in order."""
    found = [Strike(at=one.start, event=one) for one in events if one.kind in {"loss", "reclaim"}]
    found += [Strike(at=one.end, event=one, over=True) for one in events if one.kind == "reclaim"]
    return sorted(found, key=lambda one: one.at)


def slowed(events: Sequence[Event]) -> SlowReplica | None:
    """Return how slow the first replica is and when, by the one such event at most; None where it never is."""
    found = [SlowReplica(speed=1.0 / one.size, start=one.start, end=one.end) for one in events if one.kind == "slow"]
    return found[0] if found else None


def changed(draws: Draws, events: Sequence[Event], longest: int) -> Draws:
    """Return the requests of a day with longer prompts and fewer hits where these are among the events.

    A request holds at most `longest` tokens: its prompt grows no further. What a cache holds of it grows with it.
    """
    assert draws.arrivals is not None, "an open loop has arrivals"
    if not any(one.kind in {"prompts", "hits"} for one in events):
        return draws
    prompt, cached = draws.prompt.astype(np.int64), draws.cached.astype(np.int64)
    for one in events:
        within = (draws.arrivals >= one.start) & (draws.arrivals < one.end)
        if one.kind == "prompts":
            room = np.maximum(longest + 1 - draws.output, prompt)
            longer = np.clip(np.rint(prompt * one.size).astype(np.int64), 1, room)
            cached = np.where(within, cached * longer // prompt, cached)
            prompt = np.where(within, longer, prompt)
        elif one.kind == "hits":
            cached = np.where(within, (cached * one.size).astype(np.int64), cached)
    return replace(draws, prompt=prompt.astype(np.int32), cached=cached.astype(np.int32))
