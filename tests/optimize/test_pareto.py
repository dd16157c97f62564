"""The front held to growing and weighing every fleet one by one; best rows to planning; constraints to scoring."""

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from fleettui.domain.anchor import Anchor, SeenPool
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import PowerCurve, Profile
from fleettui.domain.pareto import SeenFleet, Tradeoff
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.hardware.power import power
from fleettui.optimize.enlarge import LEAST_GAIN, MOST_MORE, SizedFleet
from fleettui.optimize.evaluate import shortfalls
from fleettui.optimize.pareto import TRADED, _Known, front, knee, thinned, trade
from fleettui.optimize.plan import find_plan
from fleettui.optimize.resize import resize
from fleettui.optimize.terms import Terms
from tests.optimize.samples import atoms, profile, question
from tests.repeated import few

CONTEXT, GRID, RATE, LENGTHS = 16_384, (700,), 30.0, atoms(3)
SLICES = [(RATE, LENGTHS)]
PROFILES = [
    replace(one, gpus_per_node=4)
    for one in (profile("fast", tp=2, speed=2.5), profile("slow", tp=1, speed=0.6, price=0.5))
]
ASKED = question(ttft=2.0)
Point = tuple[float, float]


@cache
def traded(asked: Question = ASKED) -> Tradeoff:
    return anew(PROFILES, asked)


def anew(profiles: list[Profile], asked: Question = ASKED) -> Tradeoff:
    return trade(asked, slices=SLICES, profiles=profiles, grid=GRID, context=CONTEXT)


def scored(fleet: Fleet, sizes: list[int], asked: Question) -> Candidate:
    own = [next(one for one in PROFILES if one.gpu == pool.gpu) for pool in fleet.pools]
    return resize(fleet, sizes, question=asked, profiles=own, slices=SLICES, context=CONTEXT).candidate


def by_hand(asked: Question) -> set[Point]:
    """Return the front of every fleet that any objective's search hands out, grown one score at a time."""
    fleets = set()
    for objective in TRADED:
        wanted = replace(asked, objective=objective)
        answer = find_plan(wanted, slices=SLICES, profiles=PROFILES, grid=GRID, context=CONTEXT)
        fleets |= {one.fleet for one in answer.candidates if not one.shortfalls}
    every = [one for fleet in fleets for one in grown_by_hand(fleet, asked) if not one.shortfalls]
    points = {(round(one.cost_per_hour, 6), round(worst(one), 6)) for one in every}
    return {
        one for one in points if not any(other != one and other[0] <= one[0] and other[1] <= one[1] for other in points)
    }


def grown_by_hand(fleet: Fleet, asked: Question) -> list[Candidate]:
    sizes = [pool.replicas for pool in fleet.pools]
    found = [scored(fleet, sizes, asked)]
    for _ in range(MOST_MORE):
        before = [pool.ttft for pool in found[-1].pools]
        place = before.index(max(before))
        sizes[place] += 1
        after = scored(fleet, sizes, asked)
        if after.pools[place].ttft > before[place] * (1.0 - LEAST_GAIN):
            break
        found.append(after)
    return found


def worst(one: Candidate) -> float:
    return max(pool.ttft for pool in one.pools)


@pytest.mark.parametrize(
    "options", few([{}, {"whole_nodes": True}, {"availability": 0.987}], 0, more=1, ids=["plain", "nodes", "spares"])
)
def test_the_front_is_that_of_every_fleet_at_every_size(options: dict[str, Any]) -> None:
    asked = replace(ASKED, **options)
    found = traded(asked)
    expected = by_hand(asked)
    assert {(round(one.cost, 6), round(one.ttft, 6)) for one in found.front} == expected
    assert len(expected) == found.standing > 3
    assert all(before.cost < after.cost and before.ttft > after.ttft for before, after in pairwise(found.front))


@pytest.mark.thorough
def test_no_fleet_has_a_place_that_a_simulation_rules_out_and_one_that_holds_is_as_seen() -> None:
    plain = traded()
    best = dict(plain.best)["cost"].fleet
    sizes = [pool.replicas for pool in best.pools]
    larger = replace(best, pools=tuple(replace(pool, replicas=pool.replicas + 1) for pool in best.pools))
    fails = SeenFleet(fleet=best, passed=(False,) * len(sizes))
    holds = SeenFleet(fleet=larger, passed=(True,) * len(sizes), ttft=1.5, tpot=0.03)
    found = trade(ASKED, slices=SLICES, profiles=PROFILES, grid=GRID, context=CONTEXT, seen=(fails, holds))
    rows = [*found.front, *(one for _, one in found.best)]
    assert all(one.fleet != best for one in rows)
    own = [one for one in rows if one.fleet == larger]
    assert own
    assert all((one.ttft, one.tpot, one.simulated) == (1.5, 0.03, True) for one in own)
    assert not any(one.simulated for one in rows if one.fleet != larger)


@pytest.mark.thorough
def test_what_replicas_showed_corrects_every_row() -> None:
    ratios = (("ttft", 1.3), ("tpot", 1.0))
    seen = Anchor(seen=(SeenPool(utilization=0.5, ratios=ratios, replicas=3, rate=RATE),))
    anchors = {one.replica_key: seen for one in PROFILES}
    found = trade(ASKED, slices=SLICES, profiles=PROFILES, grid=GRID, context=CONTEXT, anchors=anchors)
    plain = scored(found.front[0].fleet, [pool.replicas for pool in found.front[0].fleet.pools], ASKED)
    assert found.front[0].ttft > worst(plain)
    assert all(one.ttft <= 2.0 for one in found.front)


@pytest.mark.parametrize("objective", TRADED)
def test_the_best_by_an_objective_is_what_planning_for_it_finds(objective: Any) -> None:
    answer = find_plan(
        replace(ASKED, objective=objective), slices=SLICES, profiles=PROFILES, grid=GRID, context=CONTEXT
    ).answer
    assert answer is not None
    found = traded()
    best = dict(found.best)[objective]
    assert best.fleet == answer.fleet
    assert (best.gpus, best.cost) == (answer.gpus, pytest.approx(answer.cost_per_hour))
    assert (best.power, best.ttft) == (pytest.approx(answer.power), pytest.approx(worst(answer)))
    assert best.tpot == pytest.approx(max(pool.tpot for pool in answer.pools))
    assert len({one.fleet for _, one in found.best}) == 3, "cost, GPUs and TTFT choose differently here"


def test_of_fleets_that_cost_the_same_the_cheapest_is_the_same_in_the_table_and_on_the_front() -> None:
    """Found: the front began with the plan's proven split, and the table had another of the same cost, by formula."""
    plain = traded()
    first = plain.front[0]
    holds = SeenFleet(fleet=first.fleet, passed=(True,) * len(first.fleet.pools), ttft=first.ttft / 2, tpot=first.tpot)
    twin = SizedFleet(fleet=replace(first.fleet, gamma=1.5), cost=first.cost, power=first.power, ttft=first.ttft)
    seen = _Known(meeting=False, seen=(holds,), profiles=PROFILES)
    own = seen.as_seen(SizedFleet(fleet=first.fleet, cost=first.cost, power=first.power, ttft=first.ttft))
    answer = find_plan(ASKED, slices=SLICES, profiles=PROFILES, grid=GRID, context=CONTEXT)
    best = answer.answer
    assert best is not None
    ranked = replace(answer, answer=replace(best, fleet=twin.fleet), candidates=())
    allowed = {one.fleet: one for one in (twin, own)}
    standing = front([twin, own])
    for objective in ("cost", "gpus", "power"):
        assert seen.best(objective, ranked, allowed, standing) == standing[0] == own
    for found in (plain, trade(ASKED, slices=SLICES, profiles=PROFILES, grid=GRID, context=CONTEXT, seen=(holds,))):
        assert dict(found.best)["cost"] == found.front[0]


def test_tokens_per_joule_are_those_of_the_whole_traffic() -> None:
    """λ·E[L_out]/(GPUs·P(n_act)), model.md section 9, from the workload and the power curve themselves."""
    mean = sum(weight * output for weight, _, output in LENGTHS) / sum(weight for weight, _, _ in LENGTHS)
    for one in traded().front:
        assert one.tokens_per_joule == pytest.approx(RATE * mean / one.power)
        curves = [next(p for p in PROFILES if p.gpu == pool.gpu).power for pool in one.fleet.pools]
        least = math.fsum(
            pool.gpus * float(power(curve, 1.0))
            for pool, curve in zip(one.fleet.pools, curves, strict=True)
            if isinstance(curve, PowerCurve)
        )
        assert least > 0.0
        assert least <= one.power <= 600.0 * one.gpus


BINDING: list[dict[str, Any]] = [
    {"budget": 10.0},
    {"max_power": 2_000.0},
    {"max_total_gpus": 6},
    {"max_gpus": (("fast", 4),)},
    {"budget": 8.2, "max_gpus": (("slow", 4),)},
]


@pytest.mark.parametrize("limits", few(BINDING, 2), ids=" ".join)
def test_every_row_keeps_every_limit(limits: dict[str, Any]) -> None:
    asked, terms = replace(ASKED, **limits), Terms.of(ASKED)
    free, found = traded(), traded(asked)
    rows = [*found.front, *(one for _, one in found.best)]
    assert rows
    for one in rows:
        candidate = scored(one.fleet, [pool.replicas for pool in one.fleet.pools], asked)
        assert candidate.fleet == one.fleet
        assert shortfalls(candidate, asked, terms, PROFILES) == ()
        assert max(pool.utilization for pool in candidate.pools) <= terms.max_utilization * (1.0 + 1e-9)
    kept = {(one.cost, one.ttft) for one in found.front}
    assert any((one.cost, one.ttft) not in kept for one in free.front), "a limit that binds nothing tests nothing"


def test_where_nothing_holds_nothing_is_best() -> None:
    found = traded(replace(ASKED, budget=0.5))
    assert (found.best, found.front, found.knee, found.standing) == ((), (), None, 0)


@pytest.mark.evidence
def test_the_same_whatever_the_order_of_the_profiles() -> None:
    assert anew(PROFILES) == traded() == anew(PROFILES[::-1])


def sized(cost: float, ttft: float, replicas: int = 1) -> SizedFleet:
    fleet = traded_fleet()
    pool = replace(fleet.pools[0], replicas=replicas)
    return SizedFleet(fleet=replace(fleet, pools=(pool,)), cost=cost, power=100.0, ttft=ttft)


def traded_fleet() -> Fleet:
    answer = find_plan(replace(ASKED, pools=(1,)), slices=SLICES, profiles=PROFILES, grid=GRID, context=CONTEXT).answer
    assert answer is not None
    return answer.fleet


def test_of_fleets_alike_in_both_the_smaller_is_kept() -> None:
    rows = [sized(2.0, 0.5, 3), sized(2.0 + 1e-13, 0.5, 2), sized(1.0, 0.9), sized(3.0, 0.5), sized(1.0, 0.8, 5)]
    assert [(one.cost, one.ttft, one.fleet.pools[0].replicas) for one in front(rows)] == [
        (1.0, 0.8, 5),
        (2.0 + 1e-13, 0.5, 2),
    ]


@pytest.mark.parametrize("seed", range(20))
def test_the_knee_is_farthest_from_the_line_between_the_ends(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = list(zip(np.sort(rng.uniform(1, 100, 9)), np.sort(rng.uniform(0.01, 2, 9))[::-1], strict=True))
    ends = np.log([points[0], points[-1]])
    along = (ends[1] - ends[0]) / math.dist(*ends)
    normal = np.array([along[1], -along[0]])  # towards less of both
    below = [float((np.log(one) - ends[0]) @ normal) for one in points]
    expected = int(np.argmax(below)) if max(below) > 1e-9 else None
    assert knee(points) == expected
    assert knee([(1000 * cost, 7 * seconds) for cost, seconds in points]) == expected


def test_a_front_that_bends_the_other_way_or_has_no_logarithm_has_no_knee() -> None:
    assert knee([(1.0, 10.0), (9.0, 9.0), (10.0, 1.0)]) is None
    assert knee([(0.0, 10.0), (1.0, 2.0), (10.0, 1.0)]) is None
    assert knee([]) is None


def test_a_long_front_is_thinned_where_it_says_least() -> None:
    rng = np.random.default_rng(5)
    points = list(zip(np.sort(rng.uniform(1, 100, 90)), np.sort(rng.uniform(0.01, 2, 90))[::-1], strict=True))
    places = thinned(points, 40, kept=17)
    assert len(places) == 40
    assert places == sorted(places)
    assert {0, 17, 89} <= set(places)
    assert thinned(points[:40], 40) == list(range(40))
    assert thinned([(1.0, 9.0), (1.01, 8.9), (5.0, 2.0), (9.0, 1.0)], 3) == [0, 2, 3]
