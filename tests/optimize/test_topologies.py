from dataclasses import replace
from itertools import pairwise
from math import comb

import numpy as np
import pytest

from fleettui.errors import InputError
from fleettui.optimize.offers import offer
from fleettui.optimize.ranges import Demanded, Ranges
from fleettui.optimize.terms import Terms
from fleettui.optimize.topologies import MOST_FLEETS, Space, cuts_for, groups_of, space_of
from tests.optimize.samples import atoms, profile, question

SPLITS, CONTEXT = (300, 700, 1500, 3000), 16_384
PROFILES = [profile("a"), profile("a", tp=1), profile("b", speed=0.7, price=0.9)]


def space(pools: int, factors: tuple[float, ...] = (1.0,), **changes: object) -> tuple[Space, Ranges]:
    asked = replace(question(), **changes)  # type: ignore[arg-type]
    ranges = Ranges.of(SPLITS, CONTEXT, cuts=range(len(SPLITS)), factors=factors)
    demanded = [Demanded.of(10.0, atoms(3), ranges, chunk=2048, prefix_hit=0.0)]
    offers = [offer(one, demanded, ranges, asked, Terms.of(asked)) for one in PROFILES]
    weight = np.stack([one.cost for one in offers])
    return space_of(offers, ranges, asked, pools, weight), ranges


@pytest.mark.parametrize("pools", [1, 2, 3, 4])
def test_every_way_to_divide_is_there_once(pools: int) -> None:
    found, ranges = space(pools)
    assert len(found.gamma) == comb(len(SPLITS), pools - 1) * (len(PROFILES) ** pools if pools <= 2 else 1)
    fleets = set(zip(*(own.tolist() for own in (*found.profile, *found.row)), strict=True))
    assert len(fleets) == len(found.gamma)
    for i in range(len(found.gamma)):
        bounds = [(int(ranges.above[row[i]]), int(ranges.up_to[row[i]])) for row in found.row]
        assert bounds[0][0] == 0
        assert bounds[-1][1] == CONTEXT
        assert all(low[1] == high[0] for low, high in pairwise(bounds))


def test_stock_tells_types_apart_and_power_profiles() -> None:
    assert groups_of(PROFILES, question()) == [[0, 1, 2]]
    assert groups_of(PROFILES, question(max_gpus=(("a", 4),))) == [[0, 1], [2]]
    assert groups_of(PROFILES, question(whole_nodes=True)) == [[0, 1], [2]]
    assert groups_of(PROFILES, question(max_power=5000.0)) == [[0], [1], [2]]
    assert groups_of(PROFILES, question(max_power=5000.0, objective="power")) == [[0, 1, 2]]
    assert groups_of(PROFILES, question(budget=5.0, objective="power")) == [[0], [1], [2]]
    assert groups_of(PROFILES, question(max_gpus=(("a", 4),), objective="power")) == [[0], [1], [2]]


def test_limits_beside_the_objective_tell_types_apart() -> None:
    assert groups_of(PROFILES, question(budget=5.0)) == [[0, 1, 2]]
    assert groups_of(PROFILES, question(max_total_gpus=5)) == [[0, 1], [2]]
    assert groups_of(PROFILES, question(budget=5.0, objective="gpus")) == [[0, 1], [2]]
    assert groups_of(PROFILES, question(max_total_gpus=5, objective="gpus")) == [[0, 1, 2]]


def test_of_a_group_the_best_profile_serves_each_range() -> None:
    found, _ = space(3, max_gpus=(("a", 40),))
    assert len(found.gamma) == comb(len(SPLITS), 2) * 2**3
    assert {int(own) for own in np.concatenate(found.profile)} <= {0, 1, 2}


def test_pools_stand_far_enough_apart_for_what_is_compressed_out_of_them() -> None:
    found, ranges = space(3, factors=(1.0, 2.2))
    for i in np.flatnonzero(found.gamma > 1.0):
        ends = [int(ranges.up_to[row[i]]) for row in found.row[:-1]]
        assert ends[1] >= int(2.2 * ends[0])
    assert (found.gamma > 1.0).any()


def test_the_least_factor_leaves_the_others_out() -> None:
    assert set(space(2, factors=(1.0, 1.5), gamma=(1.5, 1.5))[0].gamma) == {1.5}


@pytest.mark.parametrize(
    ("splits", "groups", "pools"), [(150, 1, 3), (150, 3, 3), (150, 18, 4), (150, 30, 4), (4, 6, 4), (0, 1, 4)]
)
def test_cuts_keep_the_number_of_fleets_within_its_limit(splits: int, groups: int, pools: int) -> None:
    cuts = cuts_for(splits, groups, 1, (1, 2, pools))
    assert comb(len(cuts), pools - 1) * groups**pools <= MOST_FLEETS
    assert all(0 <= cut < splits for cut in cuts)
    assert cuts_for(splits, groups, 1, (1, 2)) == []


def test_more_fleets_than_can_be_looked_at_are_refused() -> None:
    with pytest.raises(InputError, match="fewer --gpu or --tp"):
        cuts_for(150, 48, 1, (1, 2, 3, 4))
    assert len(cuts_for(150, 48, 11, (1, 2, 3))) == 2


def test_no_more_splits_divide_fleets_of_many_pools_than_are_asked_for() -> None:
    assert cuts_for(150, 1, 1, (1, 2, 3), most_cuts=4) == [0, 50, 99, 149]
    assert cuts_for(3, 1, 1, (3,), most_cuts=4) == [0, 1, 2]
    assert cuts_for(150, 1, 1, (1, 2), most_cuts=4) == []
