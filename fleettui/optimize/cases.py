"""The cases over which it is told how sure a fleet is whose question has inputs that were typed as ranges.

A case is a value of each of these inputs and a step time within the model's error; all are as likely. The inputs go
through a lattice that has each of PARTS values of every input once (a rank-1 lattice, after Korobov: Number-theoretic
methods in approximate analysis, 1963), and with each of its points through STEP_TIMES step times as likely.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fleettui.domain.typed_range import TypedRange
from fleettui.domain.uncertain import slower_than
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.held_fleet import HeldFleet, Situation
from fleettui.queueing.arrays import FloatArray

PARTS, GENERATOR = 61, 38
"""Points of the lattice, a prime, and what the place of an input's value is multiplied by for the next input: by near
the golden section, so that no two inputs rise together.
"""
STEP_TIMES = 32
TOWARDS = [slower_than((place + 0.5) / STEP_TIMES) for place in range(STEP_TIMES)]
"""How far step times go towards an end in each of the cases of equal inputs."""
MOST_DOUBLINGS, HALVINGS = 20, 12
"""From a rate that is near, after which the greatest one is known to a few ten-thousandths of it."""
FEW = 5
"""Inputs at whose values requests are others are looked at in so many steps."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Cases:
    """What each pool of a fleet needs in each case: replicas, shape (cases, pools), infinite where no size holds."""

    shape: Shape
    needed: FloatArray

    @classmethod
    def of(cls, held: HeldFleet, rate: float, *, doubts_waits: bool = False) -> Cases:
        """Return the cases of a fleet at `rate` requests/s, which its question's ranges have in their middle.

        Waits go with the steps, or as far as they are doubted.
        """
        return cls(
            shape=held.planned,
            needed=np.concatenate([_needed(held, one, own, doubts_waits) for one, own in _by_requests(held, rate)]),
        )

    def holds(self, replicas: Sequence[int]) -> float:
        """Return the share of the cases in which these sizes suffice."""
        return float((self.needed <= np.array(replicas)).all(axis=1).mean())

    def sizes(self, share: float) -> tuple[int, ...] | None:
        """Return sizes that suffice in a `share` of the cases, none of them larger than that takes.

        They are the most that any of the cheapest cases needs, of as few of these as it takes, and then as small as
        the others let them be. None where no size suffices in so many.
        """
        prices = [one.pool.gpus_per_replica * one.profile.price_per_hour for one in self.shape.pools]
        largest = np.maximum.accumulate(self.needed[np.argsort(self.needed @ prices, kind="stable")], axis=0)
        low, high = 0, int(np.ceil(share * len(largest) - 1e-9)) - 1  # the first so many cases cover themselves
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.holds(largest[middle]) >= share else (middle + 1, high)
        found = largest[low]
        if not np.isfinite(found).all():
            return None
        for place in np.argsort(prices)[::-1]:
            found[place] = self._least(found, int(place), share)
        return tuple(int(size) for size in found)

    def _least(self, sizes: FloatArray, place: int, share: float) -> float:
        """Return the fewest replicas of one pool that suffice in a share of the cases beside these of the others."""
        held = np.delete(self.needed <= sizes, place, axis=1).all(axis=1)
        wanted = int(np.ceil(share * len(self.needed) - 1e-9))
        return float(np.sort(self.needed[held, place])[wanted - 1])


def lasts(held: HeldFleet, sizes: Sequence[int], near: float, share: float) -> float:
    """Return the greatest rate in requests/s that these sizes hold in a `share` of the cases, 0 where they hold none.

    It is what the ranges have in their middle; it is looked for from a rate on that is `near`.
    """
    each = (np.outer(near / own, _runs_out(held, one, sizes)).ravel() for one, own in _by_requests(held, near))
    found = np.concatenate([*each])
    return float(np.sort(found)[-int(np.ceil(share * len(found) - 1e-9))])


def situations(typed: Sequence[TypedRange], base: Situation) -> Iterator[Situation]:
    """Yield the points of the lattice over what was typed as a range, around `base`."""
    for point in range(PARTS):
        found = base
        for place, one in enumerate(typed):
            share = (point * pow(GENERATOR, place, PARTS) % PARTS + 0.5) / PARTS
            if one.changes_requests:
                share = (int(share * FEW) + 0.5) / FEW
            found = found.where(one, one.at(share))
        yield found


def _by_requests(held: HeldFleet, rate: float) -> Iterator[tuple[Situation, FloatArray]]:
    """Yield the situations in which requests are others, each at `rate`, with the rates at which they come there."""
    rates: dict[Situation, list[float]] = {}
    for one in situations(held.question.ranges, Situation(rate=rate, prefix_hit=held.question.prefix_hit)):
        rates.setdefault(replace(one, rate=rate), []).append(one.rate)
    for situation, own in rates.items():
        yield situation, np.array(own)


def _needed(held: HeldFleet, situation: Situation, rates: FloatArray, doubts_waits: bool) -> FloatArray:
    """Return what each pool needs at each of these rates and each step time, a row each."""
    shape = held.shape(situation)
    if shape is None:
        return np.full((len(rates) * STEP_TIMES, len(held.fleet.pools)), np.inf)
    asked = shape.doubting if doubts_waits else shape
    return asked.needed(np.repeat(rates, STEP_TIMES), TOWARDS * len(rates))


def _runs_out(held: HeldFleet, situation: Situation, sizes: Sequence[int]) -> FloatArray:
    """Return the greatest rate that these sizes hold in a situation at each step time, 0 where they hold none."""
    shape, holds = held.shape(situation), np.zeros(STEP_TIMES)
    if shape is None:
        return holds
    own, fails = np.array(sizes), np.full(STEP_TIMES, situation.rate)
    for _ in range(MOST_DOUBLINGS):
        enough = (shape.needed(fails, TOWARDS) <= own).all(axis=1)
        if not enough.any():
            break
        holds, fails = np.where(enough, fails, holds), np.where(enough, 2.0 * fails, fails)
    for _ in range(HALVINGS):
        middle = (holds + fails) / 2.0
        enough = (shape.needed(middle, TOWARDS) <= own).all(axis=1)
        holds, fails = np.where(enough, middle, holds), np.where(enough, fails, middle)
    return holds
