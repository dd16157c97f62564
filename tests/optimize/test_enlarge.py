"""Larger sizes of fleets that a search found, each held to scoring it as it stands."""

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.optimize.enlarge import LEAST_GAIN, MOST_MORE, SizedFleet, enlarged, steps
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.plan import find_plan
from fleettui.optimize.resize import resize
from tests.optimize.samples import Atoms, atoms, in_each_slice, profile, question
from tests.repeated import few

CONTEXT, GRID = 16_384, (700, 3000)
PROFILES = [profile("fast", tp=4, speed=2.5), profile("slow", tp=1, speed=0.6, price=0.7)]
ONE_SLICE = [(9.0, atoms(3))]
Slices = list[tuple[float, Atoms]]


def found(asked: Question, slices: Slices, profiles: list[Profile] = PROFILES) -> list[Fleet]:
    answer = find_plan(asked, slices=slices, profiles=profiles, grid=GRID, context=CONTEXT)
    return [one.fleet for one in answer.candidates if not one.shortfalls]


def grown(fleets: list[Fleet], asked: Question, slices: Slices) -> list[SizedFleet]:
    return enlarged(fleets, question=asked, slices=slices, profiles=PROFILES, context=CONTEXT)


def scored(fleet: Fleet, asked: Question, slices: Slices, replicas: list[int]) -> ScoredFleet:
    by_name = {one.gpu: one for one in PROFILES}
    own = [by_name[pool.gpu] for pool in fleet.pools]
    return resize(fleet, replicas, question=asked, profiles=own, slices=slices, context=CONTEXT)


@pytest.mark.parametrize(
    ("options", "slices"),
    few(
        [
            ({}, ONE_SLICE),
            ({"pools": (3,)}, ONE_SLICE),
            ({"gamma": (1.0, 1.3), "compressible": 0.8}, ONE_SLICE),
            ({"availability": 0.987, "availability_target": 0.99}, ONE_SLICE),
            ({"whole_nodes": True, "pools": (2,)}, ONE_SLICE),
            ({"admission": "reserved"}, ONE_SLICE),
            ({}, [(9.0, atoms(3)), (6.0, atoms(8))]),
        ],
        0,
        more=1,
        ids=["plain", "three pools", "compressed", "spares", "nodes", "reserved", "two slices"],
    ),
)
def test_each_size_is_as_if_scored_as_it_stands(options: dict[str, Any], slices: Slices) -> None:
    asked = question(ttft=1.5, **options)
    fleets = found(asked, slices)
    assert fleets
    if "gamma" in options:
        assert any(one.gamma > 1.0 for one in fleets)
    every = grown(fleets, asked, slices)
    assert {one.fleet for one in every} >= set(fleets)
    for one in every[:: max(1, len(every) // 25)]:
        anew = scored(one.fleet, asked, slices, [pool.replicas for pool in one.fleet.pools]).candidate
        assert one.fleet == anew.fleet
        assert one.cost == pytest.approx(anew.cost_per_hour, rel=1e-12)
        assert one.power == pytest.approx(anew.power, rel=1e-9)
        assert one.ttft == pytest.approx(max(pool.ttft for pool in anew.pools), rel=1e-8)


def test_the_worst_pool_grows_until_that_gains_little() -> None:
    """The rule is followed by hand, one score at a time."""
    asked = question(ttft=1.5)
    fleet = next(one for one in found(asked, ONE_SLICE) if len(one.pools) == 2)
    sizes = [pool.replicas for pool in fleet.pools]
    expected = [tuple(sizes)]
    pools = scored(fleet, asked, ONE_SLICE, sizes).candidate.pools
    for _ in range(MOST_MORE):
        worst = max(range(2), key=lambda place: pools[place].ttft)
        sizes[worst] += 1
        after = scored(fleet, asked, ONE_SLICE, sizes).candidate.pools
        if after[worst].ttft > pools[worst].ttft * (1.0 - LEAST_GAIN):
            break
        expected.append(tuple(sizes))
        pools = after
    assert [tuple(pool.replicas for pool in one.fleet.pools) for one in grown([fleet], asked, ONE_SLICE)] == expected
    assert len(expected) > 2


def test_a_pool_on_a_par_with_the_worst_does_not_end_it() -> None:
    assert list(steps([[0.400, 0.2, 0.199], [0.399, 0.1, 0.1]])) == [(0, 0), (1, 0), (1, 1)]
    assert list(steps([[0.4, 0.395, 0.1]])) == [(0,)]


def test_a_replica_more_is_never_cheaper_nor_slower() -> None:
    asked = replace(question(ttft=1.5), whole_nodes=True)
    for fleet in found(asked, ONE_SLICE)[:4]:
        every = grown([fleet], asked, ONE_SLICE)
        assert [one.cost for one in every] == sorted(one.cost for one in every)
        assert [one.ttft for one in every] == sorted((one.ttft for one in every), reverse=True)


@pytest.mark.evidence
def test_a_larger_size_is_as_slow_and_draws_as_much_as_in_its_worst_time_slice() -> None:
    asked, slices = question(ttft=1.5), [(9.0, atoms(3)), (6.0, atoms(8)), (1.0, atoms(90))]
    every = grown(found(asked, slices)[:12], asked, slices)
    for one in every[:: max(1, len(every) // 25)]:
        parts = in_each_slice(one.fleet, asked, PROFILES, slices)
        worst = [(max(p.ttft for p in own), max(p.power for p in own)) for own in parts]
        assert one.ttft == pytest.approx(max(ttft for ttft, _ in worst), rel=1e-8)
        assert one.power == pytest.approx(sum(watts for _, watts in worst), rel=1e-8)
