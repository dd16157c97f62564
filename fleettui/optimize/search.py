"""Every fleet of one or two pools over the offers, ranked by cost under the question's constraints.

Each pool's replicas are the fewest that keep its terms, so for a given split and pair of profiles no other count can be
cheaper, and a constraint that this fleet breaks is broken by every larger one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fleettui.domain.plan import Excluded
from fleettui.domain.scenario import Question
from fleettui.optimize.offers import FLOOR, MEMORY, Offer
from fleettui.optimize.ranges import Ranges
from fleettui.queueing.arrays import FloatArray, IntArray

KEPT_PER_TOPOLOGY = 200
SEVERAL = "several constraints"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A fleet as (offer index, range row) per pool, in order of length."""

    pools: tuple[tuple[int, int], ...]
    cost: float
    gpus: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search hands out: ranked choices, the nearest one per broken constraint, and counts of the rest."""

    ranked: tuple[Choice, ...]
    nearest: tuple[tuple[str, Choice], ...]
    excluded: tuple[Excluded, ...]


def search(offers: Sequence[Offer], ranges: Ranges, question: Question) -> Found:
    """Rank all fleets of the wanted numbers of pools; at most 200 per topology are kept, the rest is counted."""
    spaces = [_Space.of(offers, ranges, question, pools) for pools in sorted(set(question.pools))]
    ranked = sorted((choice for space in spaces for choice in space.ranked()), key=_order)
    nearest: dict[str, Choice] = {}
    for space in spaces:
        for constraint, choice in space.nearest():
            if constraint not in nearest or _order(choice) < _order(nearest[constraint]):
                nearest[constraint] = choice
    excluded = tuple(count for space in spaces for count in space.excluded())
    by_cost = sorted(nearest.items(), key=lambda pair: _order(pair[1]))
    return Found(ranked=tuple(ranked), nearest=tuple(by_cost), excluded=excluded)


def _order(choice: Choice) -> tuple[float, float, int, tuple[tuple[int, int], ...]]:
    return round(choice.cost, 9), choice.gpus, len(choice.pools), choice.pools


@dataclass(frozen=True, slots=True, kw_only=True)
class _Space:
    """All fleets of one topology, flat: pools of fleet i are (profile[k][i], row[k][i]) for k in order of length."""

    topology: str
    profile: tuple[IntArray, ...]
    row: tuple[IntArray, ...]
    cost: FloatArray
    gpus: FloatArray
    reasons: tuple[tuple[str, np.ndarray], ...]
    broken: tuple[tuple[str, np.ndarray], ...]

    @classmethod
    def of(cls, offers: Sequence[Offer], ranges: Ranges, question: Question, pools: int) -> _Space:
        profile, row = _one_pool(len(offers)) if pools == 1 else _two_pools(len(offers), len(ranges.splits))
        occupied = np.any([part.demanded.table.occupied for part in offers[0].parts], axis=0)
        kept = np.all([occupied[rows] for rows in row], axis=0)
        profile, row = tuple(p[kept] for p in profile), tuple(r[kept] for r in row)

        def add(quantity: str) -> FloatArray:
            values = np.stack([getattr(one, quantity) for one in offers])
            return np.asarray(sum(values[p, r] for p, r in zip(profile, row, strict=True)))

        cost, gpus, watts = add("cost"), add("gpus"), add("watts")
        fits = np.stack([one.fits for one in offers])
        memory = ~np.all([fits[p, r] for p, r in zip(profile, row, strict=True)], axis=0)
        return cls(
            topology=f"{pools} pool{'s' * (pools > 1)}",
            profile=profile,
            row=row,
            cost=cost,
            gpus=gpus,
            reasons=((MEMORY, memory), (FLOOR, ~memory & ~np.isfinite(cost))),
            broken=_broken(offers=offers, question=question, profile=profile, row=row, cost=cost, watts=watts),
        )

    def _sized(self) -> np.ndarray:
        return np.asarray(np.isfinite(self.cost))

    def _breaks(self) -> np.ndarray:
        return np.any([mask for _, mask in self.broken], axis=0) if self.broken else np.zeros(len(self.cost), bool)

    def ranked(self) -> list[Choice]:
        """Return the cheapest fleets that break nothing."""
        allowed = np.flatnonzero(self._sized() & ~self._breaks())
        if len(allowed) > KEPT_PER_TOPOLOGY:
            dearest = np.partition(self.cost[allowed], KEPT_PER_TOPOLOGY - 1)[KEPT_PER_TOPOLOGY - 1]
            allowed = allowed[self.cost[allowed] <= dearest * (1.0 + 1e-12)]
        return sorted((self._choice(int(i)) for i in allowed), key=_order)[:KEPT_PER_TOPOLOGY]

    def nearest(self) -> list[tuple[str, Choice]]:
        """Return the cheapest fleet that breaks each constraint alone, and the cheapest that breaks several."""
        if not self.broken:
            return []
        sized, counts = self._sized(), np.sum([mask for _, mask in self.broken], axis=0)
        groups = [(name, sized & mask & (counts == 1)) for name, mask in self.broken]
        groups.append((SEVERAL, sized & (counts > 1)))
        cheapest = ((name, np.where(mask, self.cost, np.inf)) for name, mask in groups if mask.any())
        return [(name, self._choice(int(np.argmin(cost)))) for name, cost in cheapest]

    def excluded(self) -> list[Excluded]:
        """Return how many fleets are not handed out, by reason."""
        counts = [(reason, int(mask.sum())) for reason, mask in self.reasons]
        counts += [(name, int((self._sized() & mask).sum())) for name, mask in self.broken]
        beyond = int((self._sized() & ~self._breaks()).sum()) - KEPT_PER_TOPOLOGY
        counts.append((f"dearer than the {KEPT_PER_TOPOLOGY} kept", max(0, beyond)))
        return [Excluded(topology=self.topology, reason=reason, count=count) for reason, count in counts if count]

    def _choice(self, index: int) -> Choice:
        pools = tuple((int(p[index]), int(r[index])) for p, r in zip(self.profile, self.row, strict=True))
        return Choice(pools=pools, cost=float(self.cost[index]), gpus=float(self.gpus[index]))


def _one_pool(profiles: int) -> tuple[tuple[IntArray, ...], tuple[IntArray, ...]]:
    return (np.arange(profiles),), (np.zeros(profiles, np.int64),)


def _two_pools(profiles: int, splits: int) -> tuple[tuple[IntArray, ...], tuple[IntArray, ...]]:
    short, long, split = (axis.ravel() for axis in np.indices((profiles, profiles, splits)))
    return (short, long), (1 + split, 1 + splits + split)


def _broken(
    *,
    offers: Sequence[Offer],
    question: Question,
    profile: tuple[IntArray, ...],
    row: tuple[IntArray, ...],
    cost: FloatArray,
    watts: FloatArray,
) -> tuple[tuple[str, np.ndarray], ...]:
    """Return (constraint, which fleets break it) for every constraint of the question."""
    broken = []
    if question.budget is not None:
        broken.append(("budget", cost > question.budget * (1.0 + 1e-12)))
    if question.max_power is not None:
        broken.append(("power", watts > question.max_power))
    for name, most in question.max_gpus:
        of_kind = np.array([one.profile.gpu == name for one in offers])
        counts = np.where(of_kind[:, None], np.stack([one.gpus for one in offers]), 0.0)
        used = sum(counts[p, r] for p, r in zip(profile, row, strict=True))
        broken.append((f"inventory of {name}", np.asarray(used) > most))
    return tuple(broken)
