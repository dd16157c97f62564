"""Hardware that fails at random: when each node or GPU is down, and how many replicas of a pool that leaves.

Time between failures is exponential; so is a repair, behind which a replica loads. A replica is up while all that it
stands on is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fleettui.domain.stretch import Change

MEMORY = 20.0
"""Mean times down before the run from which units are followed, so that it begins as any other moment."""
Span = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What fails as one: seconds between two failures, of a repair and of a load; the replicas that go with it."""

    between: float
    repair: float
    load: float
    replicas: tuple[int, ...]

    def down(self, draws: np.random.Generator, end: float) -> list[Span]:
        """Return from when to when it is down within [0, end)."""
        found: list[Span] = []
        moment = -MEMORY * (self.repair + self.load)
        while True:
            moment += draws.exponential(self.between)
            if moment >= end:
                return found
            back = moment + draws.exponential(self.repair) + self.load
            if back > 0.0:
                found.append((max(moment, 0.0), back))
            moment = back


def units(held: int, *, together: int, each: int, between: float, repair: float, load: float) -> list[Unit]:
    """Return what `held` replicas stand on: units of so many replicas `together`, or `each` on several of them."""
    sets: list[tuple[int, ...]]
    if each > 1:
        sets = [(replica,) for replica in range(held) for _ in range(each)]
    else:
        sets = [tuple(range(first, min(first + together, held))) for first in range(0, held, together)]
    return [Unit(between=between, repair=repair, load=load, replicas=one) for one in sets]


def changes(on: Sequence[Unit], held: int, draws: np.random.Generator, end: float) -> tuple[Change, ...]:
    """Return when how many of `held` replicas serve up to `end`; all do at first, those that go lose their requests.

    A change at 0 says what is down as the run begins.
    """
    events: list[tuple[float, int, int]] = []
    for unit in on:
        for start, back in unit.down(draws, end):
            events += [(start, replica, 1) for replica in unit.replicas]
            events += [(back, replica, -1) for replica in unit.replicas if back < end]
    broken, serving, found = [0] * held, held, list[Change]()
    for moment, replica, more in sorted(events):
        serving += int(broken[replica] + more == 0) - int(broken[replica] == 0)
        broken[replica] += more
        if found and found[-1].moment == moment:
            found.pop()
        if serving != (found[-1].serving if found else held):
            found.append(Change(moment=moment, serving=serving, lost=True))
    assert 0 <= serving <= held, f"{serving} of {held} replicas serve"
    return tuple(found)


def share_with(found: Sequence[Change], held: int, least: int, start: float, end: float) -> float:
    """Return the share of the time from `start` to `end` in which at least so many serve."""
    moments = [-math.inf, *(one.moment for one in found), math.inf]
    counts = [held, *(one.serving for one in found)]
    spans = [
        min(after, end) - max(before, start)
        for (before, after), count in zip(pairwise(moments), counts, strict=True)
        if count >= least
    ]
    return sum(one for one in spans if one > 0.0) / (end - start)
