"""Every fleet of the wanted numbers of pools over the offers, ranked by the objective under the question's constraints.

Each pool's replicas are the fewest that keep its terms, so for given ranges and profiles no other count can be
cheaper, and a constraint that this fleet breaks is broken by every larger one. Ranges that only fleets of more pools or
with compression need are bounded first and sized when a fleet among the best needs them, until all of the best are
sized: no other fleet can be better, since a bound is never above the size. Many fleets differ only in where their pools
divide; of those only the best splits are kept while others are left that differ in more. Of fleets that are as good the
one whose busiest pool is least busy is best, since sizes are whole replicas and leave some of them more room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fleettui.domain.meter import feed_weights
from fleettui.domain.plan import Excluded
from fleettui.domain.scenario import Question
from fleettui.optimize.compressor_cost import cost_of_rows
from fleettui.optimize.costs import cost_of, paid_gpus
from fleettui.optimize.offers import FLOOR, MEMORY, Offer, kind_of, refine
from fleettui.optimize.ranges import Ranges
from fleettui.optimize.topologies import Space, space_of
from fleettui.queueing.arrays import FloatArray, IntArray

KEPT_PER_TOPOLOGY = 200
LOOKED_AT = 600
"""The best fleets of a topology among which those are that are kept: many differ in where their pools divide alone."""
SPLITS_KEPT = 4
"""Of fleets of the same replicas in the same sizes so many splits are kept before fleets that differ in more."""
SET_ASIDE_KEPT = 40
"""At least so many fleets with hardware that is set aside are kept, if there are: to be read about, not chosen."""
SIZED_AT_ONCE = 600
"""Fleets whose pools are sized together: some more than are kept, so that few rounds are needed."""
SEVERAL = "several constraints"
TIE = 1e-9  # weight of cost where GPUs decide, and of GPUs where cost does


@dataclass(frozen=True, slots=True)
class Choice:
    """A fleet as (offer index, range row) per pool, in order of length; `key` is what the objective ranks it by.

    `variants` counts the pools whose profile is not the first of its kind: of equal fleets that with fewer is chosen,
    then that whose busiest pool is least `busy`, which leaves most below its limits.
    """

    pools: tuple[tuple[int, int], ...]
    cost: float
    gpus: float
    gamma: float = 1.0
    key: float = 0.0
    variants: int = 0
    busy: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search hands out: ranked choices, counts of the rest, and per constraint the one that breaks it by least.

    With the nearest goes what it uses of the constraint: dollars per hour, watts or GPUs.
    """

    ranked: tuple[Choice, ...]
    nearest: tuple[tuple[str, Choice, float], ...]
    excluded: tuple[Excluded, ...]


def search(
    offers: Sequence[Offer], ranges: Ranges, question: Question, *, set_aside: Collection[int] = frozenset()
) -> Found:
    """Rank all fleets of the wanted numbers of pools; at most KEPT_PER_TOPOLOGY are kept of each.

    `set_aside` are the offers, by index, whose fleets are ranked to be read about and not to be chosen.
    """
    topologies = [_settled(offers, ranges, question, pools, set_aside) for pools in sorted(set(question.pools))]
    ranked = sorted((choice for fleets in topologies for choice in fleets.ranked()), key=_order)
    excluded = tuple(count for fleets in topologies for count in fleets.excluded())
    return Found(ranked=tuple(ranked), nearest=_nearest(topologies), excluded=excluded)


def merged(found: Found, other: Found) -> Found:
    """Return what one search found with what another of the same offers ranks."""
    ranked = {(one.pools, one.gamma): one for one in (*other.ranked, *found.ranked)}
    return replace(found, ranked=tuple(sorted(ranked.values(), key=_order)))


def _nearest(topologies: Sequence[TopologyFleets]) -> tuple[tuple[str, Choice, float], ...]:
    """Return each constraint with the fleet of any topology that breaks it alone and by least, cheapest first."""
    found: dict[str, tuple[str, Choice, float]] = {}
    for one in (one for fleets in topologies for one in fleets.nearest()):
        known = found.get(one[0])
        if known is None or (round(one[2], 9), _order(one[1])) < (round(known[2], 9), _order(known[1])):
            found[one[0]] = one
    return tuple(sorted(found.values(), key=lambda one: _order(one[1])))


def _settled(
    offers: Sequence[Offer], ranges: Ranges, question: Question, pools: int, set_aside: Collection[int]
) -> TopologyFleets:
    """Return the fleets of one topology, all sized that are handed out."""
    while True:
        fleets = TopologyFleets.of(offers, ranges, question, pools, set_aside)
        open_pools = {(i, row) for choice in fleets.handed_out() for i, row in choice.pools if not offers[i].exact[row]}
        if not open_pools:
            return fleets
        refine(offers, open_pools | set(fleets.inexact()))


def _order(choice: Choice) -> tuple[float, float, float, int, float, int, float, tuple[tuple[int, int], ...]]:
    return (
        round(choice.key, 9),
        round(choice.cost, 9),
        choice.gpus,
        len(choice.pools),
        choice.gamma,
        choice.variants,
        round(choice.busy, 9),
        choice.pools,
    )


@dataclass(frozen=True, slots=True)
class Broken:
    """A constraint: its name, what each fleet uses of it, shape (fleets,), and the most that it may."""

    name: str
    used: FloatArray
    most: float

    @property
    def mask(self) -> np.ndarray:
        """Which fleets use more."""
        return np.asarray(self.used > self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologyFleets:
    """All fleets of one topology with their figures as far as they are known, arrays of shape (fleets,).

    `aside` marks those with a pool of an offer that is set aside.
    """

    space: Space
    offers: Sequence[Offer]
    key: FloatArray
    cost: FloatArray
    gpus: FloatArray
    aside: np.ndarray
    reasons: tuple[tuple[str, np.ndarray], ...]
    broken: tuple[Broken, ...]

    @classmethod
    def of(
        cls,
        offers: Sequence[Offer],
        ranges: Ranges,
        question: Question,
        pools: int,
        set_aside: Collection[int] = frozenset(),
    ) -> TopologyFleets:
        """Look at all fleets of `pools` pools, their ranges sized or bounded; offers may be `set_aside`, by index."""
        counts, drawn = np.stack([one.gpus for one in offers]), np.stack([one.watts for one in offers])
        drawn = np.where(np.isfinite(counts), drawn, np.inf)
        dollars = np.stack([one.cost for one in offers])
        of_watts, of_gpus = feed_weights(question)
        weights = {"gpus": counts + TIE * dollars, "power": drawn, "energy": of_watts * drawn + of_gpus * counts}
        weight = weights.get(question.objective, dollars + TIE * counts)
        space = space_of(offers, ranges, question, pools, weight)
        gpus, watts = space.add(counts), space.add(drawn)
        metered = of_watts * watts + of_gpus * gpus
        cost = cost_of(space, offers, counts) if question.whole_nodes else space.add(dollars)
        cores = space.add(np.tile(cost_of_rows(offers[0].slices, ranges, question), (len(offers), 1)))
        chosen = np.isin(np.arange(len(offers)), [*set_aside], invert=True)
        memory = ~space.every(np.stack([one.fits for one in offers]))
        return cls(
            space=space,
            offers=offers,
            key={"gpus": gpus, "power": watts, "energy": metered}.get(question.objective, cost + cores),
            cost=cost,
            gpus=gpus,
            aside=~space.every(np.broadcast_to(chosen[:, None], counts.shape)),
            reasons=((MEMORY, memory), (FLOOR, ~memory & ~np.isfinite(gpus))),
            broken=_broken(offers, question, space, cost=cost, watts=watts, gpus=gpus, counts=counts),
        )

    def _sized(self) -> np.ndarray:
        return np.asarray(np.isfinite(self.gpus))

    def _breaks(self) -> np.ndarray:
        return np.any([one.mask for one in self.broken], axis=0) if self.broken else np.zeros(len(self.cost), bool)

    def _best(self, count: int, among: np.ndarray) -> IntArray:
        """Return at least the `count` best fleets of `among` that break nothing, or all."""
        allowed = np.flatnonzero(among & self._sized() & ~self._breaks())
        if len(allowed) > count:
            worst = np.partition(self.key[allowed], count - 1)[count - 1]
            allowed = allowed[self.key[allowed] <= worst * (1.0 + 1e-12)]
        return allowed

    def ranked(self) -> list[Choice]:
        """Return the best fleets that break nothing, SET_ASIDE_KEPT of them set aside, more where others leave room."""
        chosen, aside = self._unlike_first(~self.aside), self._unlike_first(self.aside)
        room = KEPT_PER_TOPOLOGY - min(SET_ASIDE_KEPT, len(aside))
        kept = chosen[:room]
        return sorted([*kept, *aside[: KEPT_PER_TOPOLOGY - len(kept)]], key=_order)

    def _unlike_first(self, among: np.ndarray) -> list[Choice]:
        """Return the best fleets of `among`, best first, then their further splits beyond SPLITS_KEPT."""
        unlike: list[Choice] = []
        further: list[Choice] = []
        splits = Counter[tuple[float, tuple[tuple[int, float], ...]]]()
        for choice in sorted(self._choices(self._best(LOOKED_AT, among)), key=_order):
            sizes = tuple((index, float(self.offers[index].with_spares[row])) for index, row in choice.pools)
            splits[choice.gamma, sizes] += 1
            (unlike if splits[choice.gamma, sizes] <= SPLITS_KEPT else further).append(choice)
        return [*unlike, *further]

    def nearest(self) -> list[tuple[str, Choice, float]]:
        """Return, per constraint, the fleet that breaks it alone and by least, with what it uses of it.

        After them comes the best that breaks several.
        """
        if not self.broken:
            return []
        sized, counts = self._sized(), np.sum([one.mask for one in self.broken], axis=0)
        groups = [(one.name, sized & one.mask & (counts == 1), one.used) for one in self.broken]
        groups.append((SEVERAL, sized & (counts > 1), self.key))
        least = [(name, self._least(mask, used), used) for name, mask, used in groups if mask.any()]
        chosen = self._choices(np.array([place for _, place, _ in least], dtype=np.int64))
        return [(name, one, float(used[place])) for one, (name, place, used) in zip(chosen, least, strict=True)]

    def _least(self, mask: np.ndarray, used: FloatArray) -> int:
        """Return the fleet of `mask` with the least of `used`, of equals the best."""
        near = mask & (used <= np.where(mask, used, np.inf).min() * (1.0 + 1e-12))
        return int(np.where(near, self.key, np.inf).argmin())

    def handed_out(self) -> list[Choice]:
        """Return every fleet that would be handed out as things are known."""
        return [*self.ranked(), *(choice for _, choice, _ in self.nearest())]

    def inexact(self) -> list[tuple[int, int]]:
        """Return the pools of the best fleets that are only bounded."""
        best, found = np.concatenate([self._best(SIZED_AT_ONCE, own) for own in (~self.aside, self.aside)]), set()
        exact = np.stack([one.exact for one in self.offers])
        for profile, row in zip(self.space.profile, self.space.row, strict=True):
            open_ones = ~exact[profile[best], row[best]]
            found |= set(zip(profile[best][open_ones].tolist(), row[best][open_ones].tolist(), strict=True))
        return sorted(found)

    def excluded(self) -> list[Excluded]:
        """Return how many fleets are not handed out, by reason."""
        counts = [(reason, int(mask.sum())) for reason, mask in self.reasons]
        counts += [(one.name, int((self._sized() & one.mask).sum())) for one in self.broken]
        beyond = int((self._sized() & ~self._breaks()).sum()) - KEPT_PER_TOPOLOGY
        counts.append((f"beyond the {KEPT_PER_TOPOLOGY} kept", max(0, beyond)))
        return [Excluded(topology=self.space.topology, reason=reason, count=count) for reason, count in counts if count]

    def _choices(self, places: IntArray) -> list[Choice]:
        """Return the fleets at `places`; all at once, since numbers out of arrays one by one take ten times as long."""
        pairs = zip(self.space.profile, self.space.row, strict=True)
        pools = zip(*(zip(p[places].tolist(), r[places].tolist(), strict=True) for p, r in pairs), strict=True)
        kinds = [kind_of(one.profile) for one in self.offers]
        first = np.array([kinds.index(kind) == index for index, kind in enumerate(kinds)])
        variants = np.sum([~first[own[places]] for own in self.space.profile], axis=0)
        busy = self.space.most(np.stack([one.busy for one in self.offers]), places)
        known = (own[places] for own in (self.cost, self.gpus, self.space.gamma, self.key))
        figures = (own.tolist() for own in (*known, variants, busy))
        return [Choice(*one) for one in zip(pools, *figures, strict=True)]


def _broken(
    offers: Sequence[Offer],
    question: Question,
    space: Space,
    *,
    cost: FloatArray,
    watts: FloatArray,
    gpus: FloatArray,
    counts: FloatArray,
) -> tuple[Broken, ...]:
    """Return every constraint of the question with the fleets that break it."""
    broken = []
    if question.budget is not None:
        broken.append(Broken("budget", cost, question.budget * (1.0 + 1e-12)))
    if question.max_power is not None:
        broken.append(Broken("power", watts, question.max_power))
    if question.max_feed is not None:
        of_watts, of_gpus = feed_weights(question)
        broken.append(Broken("feed", of_watts * watts + of_gpus * gpus, question.max_feed))
    if question.max_total_gpus is not None:
        taken = sum(paid_gpus(space, offers, counts).values()) if question.whole_nodes else gpus
        broken.append(Broken("GPUs", np.asarray(taken), question.max_total_gpus))
    for name, most in question.max_gpus:
        of_kind = np.array([one.profile.gpu == name for one in offers])
        used = space.add(np.where(of_kind[:, None], counts, 0.0))
        if question.whole_nodes and of_kind.any():
            used = paid_gpus(space, offers, counts)[name]
        broken.append(Broken(f"inventory of {name}", used, most))
    return tuple(broken)
