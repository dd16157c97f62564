"""The fleets that a joint plan may choose from: nothing undercuts them, and no joint optimum is lost with the rest."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.hardware import Profile
from fleettui.domain.joint import Kind, SharedLimits
from fleettui.domain.scenario import Question
from fleettui.optimize.joint import Front, front, undercut_by_none
from fleettui.optimize.joint_choice import Table, choose
from fleettui.optimize.offers import Offer, offer
from fleettui.optimize.plan import factors_of
from fleettui.optimize.ranges import Demanded, Ranges
from fleettui.optimize.search import search
from fleettui.optimize.terms import Terms
from fleettui.routing import length_pools
from tests.optimize.samples import atoms, profile, question
from tests.optimize.trying import CONTEXT, GRID, apart, holding
from tests.repeated import few


def offered(asked: Question, rate: float, profiles: list[Profile], seed: int) -> tuple[list[Offer], Ranges]:
    """Return the offers for every way to divide at GRID that the question asks for."""
    cuts = range(len(GRID)) if max(asked.pools) > 2 else ()
    ranges, terms = Ranges.of(GRID, CONTEXT, cuts=cuts, factors=factors_of(asked.gamma)), Terms.of(asked)
    demanded = Demanded.of(
        rate,
        atoms(seed, count=12),
        ranges,
        chunk=profiles[0].settled(asked).token_budget,
        prefix_hit=0.0,
        compressible=asked.compressible,
    )
    return [offer(one, [demanded], ranges, asked, terms) for one in profiles], ranges


def random_profiles(rng: np.random.Generator) -> list[Profile]:
    """Return two GPU types, one of them with two parallelisms."""
    fast, slow = float(rng.uniform(1, 4)), float(rng.uniform(0.3, 1.5))
    speed = float(rng.uniform(0.8, 2.0))
    return [
        profile("fast", tp=1, speed=speed, price=fast),
        profile("fast", tp=2, speed=1.7 * speed, price=fast),
        profile("slow", tp=1, speed=float(rng.uniform(0.3, 0.9)), price=slow, blocks=3_000),
    ]


def all_fleets(offers: list[Offer], ranges: Ranges, pools: tuple[int, ...]) -> list[tuple[int, int, float]]:
    """Return (fast GPUs, slow GPUs, watts) of every fleet of one or two pools, written out."""
    ways: list[tuple[int, ...]] = [(0,)] if 1 in pools else []
    if 2 in pools:
        ways += [(1 + j, 1 + len(GRID) + j) for j in range(len(GRID))]
    found = []
    for rows in ways:
        for chosen in itertools.product(offers, repeat=len(rows)):
            sizes = [float(one.replicas[row]) for one, row in zip(chosen, rows, strict=True)]
            if all(map(math.isfinite, sizes)):
                counts = {"fast": 0, "slow": 0}
                for one, size in zip(chosen, sizes, strict=True):
                    counts[one.profile.gpu] += int(size) * one.profile.tp
                watts = sum(float(one.watts[row]) for one, row in zip(chosen, rows, strict=True))
                found.append((counts["fast"], counts["slow"], watts))
    return found


def table(found: Front) -> Table:
    return Table(gpus=found.gpus, watts=found.watts)


@pytest.mark.parametrize("seed", few(range(200), 2, more=7))
def test_two_questions_over_one_stock_agree_with_trying_everything(seed: int) -> None:
    """Random stock, budget, power cap and whole nodes over every pair of fleets of two questions."""
    rng = np.random.default_rng(seed)
    profiles = random_profiles(rng)
    asked = [
        question(
            ttft=float(rng.choice([0.3, 0.6, 1.5])),
            admission=str(rng.choice(["paged", "reserved"])),
            pools=((1, 2), (1,), (2,))[int(rng.choice(3, p=[0.6, 0.2, 0.2]))],
        )
        for _ in range(2)
    ]
    parts = [
        offered(one, float(rng.uniform(20, 200)), profiles, seed=2 * seed + place) for place, one in enumerate(asked)
    ]
    every = [all_fleets(*part, one.pools) for part, one in zip(parts, asked, strict=True)]
    kinds = tuple(
        Kind(name=name, price=price, per_node=4)
        for name, price in (("fast", profiles[0].price_per_hour), ("slow", profiles[2].price_per_hour))
    )
    limits = random_limits(rng, every)
    by_power = limits.max_power is not None
    fronts = [
        front(*part, pools=one.pools, kinds=("fast", "slow"), by_power=by_power)
        for part, one in zip(parts, asked, strict=True)
    ]
    if not all(every):
        assert [bool(len(one.gpus)) for one in fronts] == [bool(one) for one in every]
        return
    found = choose([table(one) for one in fronts], kinds, limits)
    costs = [cost for one in itertools.product(*every) if (cost := cost_of(one, kinds, limits)) is not None]
    assert (found.chosen is None) == (not costs)
    if found.chosen is not None:
        assert found.cost == pytest.approx(min(costs), abs=1e-5)


def random_limits(rng: np.random.Generator, every: list[list[tuple[int, int, float]]]) -> SharedLimits:
    """Return limits around what some pair of fleets uses."""
    pick = [fleets[int(rng.integers(0, len(fleets)))] for fleets in every if fleets] or [(1, 1, 1.0)]
    fast, slow, watts = (sum(column) for column in zip(*pick, strict=True))
    stocks = (
        ("fast", max(1, round(fast * rng.uniform(0.5, 1.2)))),
        ("slow", max(1, round(slow * rng.uniform(0.5, 1.2)))),
    )
    return SharedLimits(
        max_gpus=tuple(one for one in stocks if rng.random() < 0.7),
        max_total_gpus=max(1, int((fast + slow) * rng.uniform(0.8, 1.2))) if rng.random() < 0.3 else None,
        max_power=watts * float(rng.uniform(0.7, 1.2)) if rng.random() < 0.3 else None,
        whole_nodes=bool(rng.random() < 0.4),
    )


def cost_of(pair: tuple[tuple[int, int, float], ...], kinds: tuple[Kind, ...], limits: SharedLimits) -> float | None:
    """Return what a pair of fleets costs together, None where it breaks a limit."""
    counts = [sum(fleet[place] for fleet in pair) for place in range(2)]
    if limits.whole_nodes:
        counts = [math.ceil(count / kind.per_node) * kind.per_node for count, kind in zip(counts, kinds, strict=True)]
    spent = {kind.name: count for kind, count in zip(kinds, counts, strict=True)}
    kept = all(spent[name] <= most for name, most in limits.max_gpus)
    kept &= limits.max_total_gpus is None or sum(counts) <= limits.max_total_gpus
    kept &= limits.max_power is None or sum(fleet[2] for fleet in pair) <= limits.max_power
    cost = sum(kind.price * count for kind, count in zip(kinds, counts, strict=True))
    return cost if kept else None


@pytest.mark.parametrize("seed", few(range(20), 2, more=2))
def test_the_first_fleet_is_the_searchs_own_answer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    asked = question(ttft=float(rng.choice([0.3, 0.6, 1.5])))
    offers, ranges = offered(asked, float(rng.uniform(20, 200)), random_profiles(rng), seed)
    ranked = search(offers, ranges, asked).ranked
    found = front(offers, ranges, pools=(1, 2), kinds=("fast", "slow"), by_power=False)
    assert [one.pools for one in found.choices[:1]] == [one.pools for one in ranked[:1]]
    for use, choice in zip(found.gpus, found.choices, strict=True):
        assert use.sum() == choice.gpus
        assert choice.cost == pytest.approx(sum(offers[i].cost[row] for i, row in choice.pools))


@pytest.mark.parametrize("by_power", [False, True])
def test_nothing_undercuts_a_fleet_and_everything_else_is_undercut(by_power: bool) -> None:
    rng = np.random.default_rng(5)
    asked = question(ttft=0.6)
    offers, ranges = offered(asked, 120.0, random_profiles(rng), 5)
    found = front(offers, ranges, pools=(1, 2), kinds=("fast", "slow"), by_power=by_power)
    width = 3 if by_power else 2
    kept = {tuple(map(float, (*gpus, watts)))[:width] for gpus, watts in zip(found.gpus, found.watts, strict=True)}
    every = {one[:width] for one in all_fleets(offers, ranges, (1, 2))}
    assert len(kept) > 1
    for one in every:
        undercut = any(all(a <= b + 1e-9 for a, b in zip(other, one, strict=True)) for other in kept)
        assert undercut
    for one in kept:
        below = [o for o in every if all(a <= b + 1e-9 for a, b in zip(o, one, strict=True)) and min(o) >= 0]
        assert all(o == pytest.approx(one) for o in below)


def random_question(rng: np.random.Generator) -> Question:
    """Ask for up to four pools and for compression."""
    least = float(rng.choice([1.0, 1.0, 1.2]))
    return question(
        ttft=float(rng.choice([0.3, 0.6, 1.5])),
        admission=str(rng.choice(["paged", "reserved"])),
        pools=((1, 2, 3), (2,), (3,), (2, 4), (1, 2, 3, 4))[int(rng.integers(5))],
        gamma=(least, float(rng.choice([least, 1.2, 1.25]))),
        compressible=float(rng.choice([0.5, 1.0])),
    )


@pytest.mark.parametrize("seed", few(range(40), 2))
def test_more_pools_and_compression_agree_with_trying_everything(seed: int) -> None:
    """Nothing undercuts what is kept, and it is the fleet that it says; of equals that of fewest pools, least gamma."""
    rng = np.random.default_rng(seed)
    profiles, asked, rate = random_profiles(rng), random_question(rng), float(rng.uniform(2.0, 10.0))
    offers, ranges = offered(asked, rate, profiles, seed)
    found = front(offers, ranges, pools=asked.pools, kinds=("fast", "slow"), by_power=False, least_gamma=asked.gamma[0])
    tried = by_trying(asked, rate, profiles, seed)
    every = set(tried.values())
    best = {one for one in every if not any(all(np.less_equal(other, one)) for other in every - {one})}
    assert sorted(map(tuple, found.gpus.tolist())) == sorted(best)
    for use, choice in zip(found.gpus.tolist(), found.choices, strict=True):
        ends = tuple(int(ranges.up_to[row]) for _, row in choice.pools)
        assert tried[ends, choice.gamma, tuple(index for index, _ in choice.pools)] == tuple(use)
        assert choice.cost == pytest.approx(sum(offers[i].cost[row] for i, row in choice.pools))
        equal = [(len(one), gamma) for (one, gamma, _), gpus in tried.items() if gpus == tuple(use)]
        assert (len(ends), choice.gamma) == min(equal)


Tried = dict[tuple[tuple[int, ...], float, tuple[int, ...]], tuple[int, int]]
"""(fast GPUs, slow GPUs) by (where the pools end, gamma, the profile of each)."""


def by_trying(asked: Question, rate: float, profiles: list[Profile], seed: int) -> Tried:
    """Return every fleet that holds, its pools as small as they can be."""
    lengths, found = atoms(seed, count=12), Tried()
    for pools in asked.pools:
        for cuts in itertools.combinations(GRID, pools - 1):
            for gamma in factors_of(asked.gamma) if pools > 1 else (1.0,):
                if (pools > 1 and gamma < asked.gamma[0]) or not apart(cuts, gamma):
                    continue
                bounds = list(itertools.pairwise((0, *cuts, CONTEXT)))
                parts = length_pools.route(lengths, bounds, gamma=gamma, compressible=asked.compressible)
                pairs = list(zip(bounds, parts, strict=True))
                options = [[holding(one, asked, rate, lengths, *own)[:1] for one in profiles] for own in pairs]
                for chosen in itertools.product(range(len(profiles)), repeat=pools):
                    sizes = [options[place][index] for place, index in enumerate(chosen)]
                    if all(sizes):
                        counts = {"fast": 0, "slow": 0}
                        for index, (size,) in zip(chosen, sizes, strict=True):
                            counts[profiles[index].gpu] += size * profiles[index].tp
                        found[(*cuts, CONTEXT), gamma, chosen] = counts["fast"], counts["slow"]
    return found


@pytest.mark.parametrize("by_power", [False, True])
@pytest.mark.parametrize("seed", few(range(10), 1, more=2))
def test_what_is_left_unsized_would_change_nothing(seed: int, by_power: bool) -> None:
    rng = np.random.default_rng(seed)
    profiles, rate = random_profiles(rng), float(rng.uniform(20, 200))
    asked = replace(random_question(rng), pools=(1, 2, 3), gamma=(1.0, 1.25))
    parts = [offered(asked, rate, profiles, seed) for _ in range(2)]
    for one in parts[1][0]:
        one.refine(np.arange(len(one.replicas)))
    sized, every = (front(*one, pools=asked.pools, kinds=("fast", "slow"), by_power=by_power) for one in parts)
    assert sized.choices == every.choices
    assert np.array_equal(sized.gpus, every.gpus)
    assert np.array_equal(sized.watts, every.watts)


def test_of_equal_rows_the_first_is_kept() -> None:
    rows = np.array([[3.0, 1.0], [1.0, 2.0], [1.0, 2.0], [2.0, 2.0], [0.0, 9.0]])
    assert undercut_by_none(rows).tolist() == [0, 1, 4]
    assert undercut_by_none(rows[:0]).tolist() == []


def test_a_type_whose_price_is_nothing_still_counts_as_stock() -> None:
    free = [replace(profile("fast", tp=1), price_per_hour=0.0), profile("slow", tp=1, speed=0.5)]
    offers, ranges = offered(question(), 90.0, free, 1)
    found = front(offers, ranges, pools=(1, 2), kinds=("fast", "slow"), by_power=False)
    assert found.choices[0].cost == 0.0
    assert found.gpus[:, 0].min() < found.gpus[0, 0]
