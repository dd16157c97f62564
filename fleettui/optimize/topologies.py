"""All fleets of one topology, as flat arrays: which profile serves which range in each pool, under which compression.

Fleets of one and two pools pair every profile with every profile, of those that only are set otherwise the best. For
more pools each range's profile is the best of its group, so that their number stays within `MOST_FLEETS`: one group of
all profiles where only the objective counts; one per GPU type where stock, nodes, GPUs or money do too, since of one
type fewer GPUs are better for all of them; one per profile where watts and another of these count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb

import numpy as np

from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.optimize.offers import Offer, kind_of
from fleettui.optimize.ranges import Ranges
from fleettui.queueing.arrays import FloatArray, IntArray

MOST_FLEETS = 1_000_000
"""Fleets of one topology that a search looks at; the splits of more than two pools are thinned out to stay within."""

TOO_MANY = 4
"""So many times as many are looked at where the fewest splits leave them; beyond, a question is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """The pools of fleet i are (profile[k][i], row[k][i]) for k in order of length, gamma[i] its compression."""

    pools: int
    profile: tuple[IntArray, ...]
    row: tuple[IntArray, ...]
    gamma: FloatArray

    @property
    def topology(self) -> str:
        """The number of pools in words."""
        return f"{self.pools} pool{'s' * (self.pools > 1)}"

    def add(self, values: FloatArray) -> FloatArray:
        """Return the sum over each fleet's pools of `values`, shape (profiles, rows)."""
        return np.asarray(sum(values[p, r] for p, r in zip(self.profile, self.row, strict=True)))

    def every(self, values: np.ndarray) -> np.ndarray:
        """Return which fleets have `values`, shape (profiles, rows), true in all their pools."""
        return np.asarray(np.all([values[p, r] for p, r in zip(self.profile, self.row, strict=True)], axis=0))

    def most(self, values: FloatArray, places: IntArray) -> FloatArray:
        """Return the most of `values`, shape (profiles, rows), over the pools of each of the fleets at `places`."""
        return np.asarray(
            np.max([values[p[places], r[places]] for p, r in zip(self.profile, self.row, strict=True)], axis=0)
        )

    def kept(self, mask: np.ndarray) -> Space:
        """Return the fleets of `mask` alone."""
        profile, row = tuple(p[mask] for p in self.profile), tuple(r[mask] for r in self.row)
        return Space(pools=self.pools, profile=profile, row=row, gamma=self.gamma[mask])


def space_of(offers: Sequence[Offer], ranges: Ranges, question: Question, pools: int, weight: FloatArray) -> Space:
    """Return all fleets of `pools` pools none of which is empty; `weight`, shape (profiles, rows), ranks profiles."""
    rows, gamma = _rows(ranges, pools, question.gamma[0])
    occupied = np.any([served.demanded.occupied for served in offers[0].slices], axis=0)
    kept = np.all([occupied[row] for row in rows], axis=0)
    rows, gamma = [row[kept] for row in rows], gamma[kept]
    profiles = [one.profile for one in offers]
    groups = groups_of(profiles, question) if pools > 2 else _kinds(profiles, question, pools, len(gamma))
    best = np.stack([np.asarray(own)[weight[own].argmin(axis=0)] for own in groups])
    chosen = list(product(range(len(best)), repeat=pools))
    cuts = len(gamma)
    profile = [np.concatenate([best[own[k]][rows[k]] for own in chosen]) for k in range(pools)]
    return Space(
        pools=pools,
        profile=tuple(profile),
        row=tuple(np.tile(row, len(chosen)) for row in rows),
        gamma=np.tile(gamma, len(chosen)) if cuts else np.zeros(0),
    )


def _kinds(profiles: Sequence[Profile], question: Question, pools: int, cuts: int) -> list[list[int]]:
    """Return which profiles stand in for each other in fleets of one or two pools that `cuts` ways divide.

    Profiles do that which differ only in how their engine is set; where TTFT or watts count, which a size does not
    tell, they do it only in searches that are too large otherwise.
    """
    drawn = question.max_power, question.max_feed
    apart = question.objective in ("ttft", "power", "energy") or drawn != (None, None)
    if apart and cuts * len(profiles) ** pools <= MOST_FLEETS:
        return [[index] for index in range(len(profiles))]
    kinds = [kind_of(one) for one in profiles]
    return [[index for index, one in enumerate(kinds) if one == kind] for kind in dict.fromkeys(kinds)]


def groups_of(profiles: Sequence[Profile], question: Question) -> list[list[int]]:
    """Return which profiles stand in for each other in fleets of more than two pools."""
    objective = "cost" if question.objective == "ttft" else question.objective
    limited = {
        "cost": question.budget,
        "gpus": question.max_total_gpus,
        "power": question.max_power or question.max_feed,
    }
    beside = {name for name, most in limited.items() if most is not None and name != objective}
    if beside & {"power", "feed"} or (objective in ("power", "energy") and (beside or question.max_gpus)):
        return [[index] for index in range(len(profiles))]
    if not (beside or question.max_gpus or question.whole_nodes):
        return [list(range(len(profiles)))]
    types = sorted({one.gpu for one in profiles})
    return [[index for index, one in enumerate(profiles) if one.gpu == name] for name in types]


def cuts_for(
    splits: int, groups: int, factors: int, pools: Sequence[int], *, most_cuts: int | None = None
) -> list[int]:
    """Return the positions among `splits` at which fleets of more than two pools may divide, evenly thinned out.

    There are at most `most_cuts` of them where that is given. Raises InputError where even the fewest are far too many.
    """
    most = max(pools, default=1)
    if most <= 2:
        return []
    count = splits if most_cuts is None else min(splits, most_cuts)
    each = groups**most * factors
    while count > most - 1 and comb(count, most - 1) * each > MOST_FLEETS:
        count -= 1
    if comb(count, most - 1) * each > TOO_MANY * MOST_FLEETS:
        raise InputError(
            f"fleets of {most} pools on so many kinds of replicas cannot all be looked at",
            where="--pools",
            value=f"{groups} kinds under a power cap, {factors} factors gamma",
            accepted=f"up to {TOO_MANY * MOST_FLEETS:,} fleets",
            remedy="fewer --gpu or --tp, fewer --pools, or no --max-power and --max-feed",
        )
    return sorted({round(place) for place in np.linspace(0, splits - 1, count)}) if splits else []


def _rows(ranges: Ranges, pools: int, least: float) -> tuple[list[IntArray], FloatArray]:
    """Return each pool's rows and the factor, for every way to divide the lengths into `pools` ranges."""
    if pools == 1:
        return [np.zeros(1, np.int64)], np.ones(1)
    factors = [place for place, gamma in enumerate(ranges.factors) if gamma >= least]
    if pools == 2:
        every = np.array(factors, dtype=np.int64)[:, None]
        rows = [ranges.below(every).ravel(), ranges.beyond(every).ravel()]
        return rows, np.repeat(np.asarray(ranges.factors, float)[factors], len(ranges.splits))
    found = [_divided(ranges, factor, pools) for factor in factors]
    rows = [np.concatenate([own[k] for own in found]) for k in range(pools)]
    return rows, np.repeat(np.asarray(ranges.factors, float)[factors], [len(own[0]) for own in found])


def _divided(ranges: Ranges, factor: int, pools: int) -> list[IntArray]:
    """Return each pool's rows for every way to divide the lengths into three or more ranges under one factor."""
    places = np.array(list(combinations(range(len(ranges.cuts)), pools - 1)), dtype=np.int64).reshape(-1, pools - 1)
    ends = ranges.splits[ranges.cuts[places]]
    # A request is compressed into the next shorter pool only, so the next pool must hold all that can be.
    apart = np.all(ends[:, 1:] >= np.floor(ranges.factors[factor] * ends[:, :-1]), axis=1)
    places = places[apart]
    between = ranges.between(factor)
    first, last = ranges.cuts[places[:, 0]], ranges.cuts[places[:, -1]]
    middle = [between[places[:, k], places[:, k + 1]] for k in range(pools - 2)]
    return [ranges.below(factor)[first], *middle, ranges.beyond(factor)[last]]
