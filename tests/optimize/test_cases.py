from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.scenario import Question
from fleettui.domain.typed_range import TypedRange
from fleettui.domain.uncertain import slower_than
from fleettui.optimize.cases import FEW, PARTS, Cases, lasts, situations
from fleettui.optimize.confidence import confidence_of, sizes_for
from fleettui.optimize.held_fleet import HeldFleet, Situation
from tests.optimize.samples import question
from tests.optimize.test_fleet_shape import LENGTHS, LIMIT, found, sizes
from tests.repeated import few

RATE = 60.0
USERS = TypedRange(key="users", low=1000.0, high=2500.0)
EACH = TypedRange(key="requests-per-user", low=0.02, high=0.06)
HIT = TypedRange(key="prefix-hit", low=0.0, high=0.5)


LONGER = TypedRange(key="output-length", low=0.7, high=1.6)


def asked(*ranges: TypedRange) -> Question:
    demand = Demand(form="users", users=USERS.middle, requests_per_user=EACH.middle)
    hit = next((one.middle for one in ranges if one.key == HIT.key), 0.0)
    return replace(question(ttft=LIMIT), demand=demand, prefix_hit=hit, ranges=ranges)


def held(*ranges: TypedRange) -> HeldFleet:
    wanted, fleet, profiles = found(RATE, asked(*ranges))
    return HeldFleet.of(fleet, wanted, profiles, [(1.0, LENGTHS)])


@pytest.mark.parametrize("ranges", few([(USERS,), (USERS, EACH), (HIT,), (EACH, HIT), (EACH, LONGER)], 2, whole=True))
def test_the_share_is_that_of_draws_from_the_ranges_and_the_step_times(ranges: tuple[TypedRange, ...]) -> None:
    fleet, draw = held(*ranges), np.random.default_rng(4)
    (other,) = [one for one in ranges if one.changes_requests] or (None,)
    cases, strata, needed = Cases.of(fleet, RATE), 25 if other else 1, []
    for stratum in range(strata):
        base = Situation(rate=RATE)
        there = base.where(other, other.at((stratum + draw.uniform()) / strata)) if other else base
        shape = fleet.shape(there)
        assert shape is not None
        rates = np.full(2000 // strata, RATE)
        for typed in ranges:
            if not typed.changes_requests:
                rates *= [typed.at(share) / typed.middle for share in draw.uniform(size=len(rates))]
        needed.append(shape.needed(rates, [slower_than(share) for share in draw.uniform(size=len(rates))]))
    drawn = np.concatenate(needed)
    for more in (0, 1, 3):
        own = [size + more for size in sizes(fleet.fleet)]
        assert (drawn <= own).all(axis=1).mean() == pytest.approx(cases.holds(own), abs=0.04)


@pytest.mark.parametrize("ranges", few([(EACH,), (EACH, HIT)], 0, more=1, whole=True))
def test_the_greatest_rate_for_a_share_is_held_in_it_and_no_greater_one(ranges: tuple[TypedRange, ...]) -> None:
    fleet = held(*ranges)
    own = [size + 1 for size in sizes(fleet.fleet)]
    rate = lasts(fleet, own, RATE, 0.9)
    assert Cases.of(fleet, rate * (1.0 - 1e-3)).holds(own) >= 0.9 > Cases.of(fleet, rate * 1.01).holds(own)
    assert lasts(fleet, own, 4.0 * RATE, 0.9) == pytest.approx(rate, rel=1e-3), "wherever it is looked for from"
    assert lasts(fleet, [0] * len(own), RATE, 0.9) == 0.0


def test_the_sizes_for_a_share_hold_in_it_and_not_with_a_replica_fewer() -> None:
    fleet = held(EACH, USERS)
    cases = Cases.of(fleet, RATE)
    for share in (0.5, 0.8, 0.9, 0.95):
        own = cases.sizes(share)
        assert own is not None
        assert cases.holds(own) >= share
        for place in range(len(own)):
            fewer = [size - (at == place) for at, size in enumerate(own)]
            assert cases.holds(fewer) < share
        assert sizes_for(fleet, RATE, share) == own


def test_a_range_makes_it_less_sure_and_the_sure_fleet_larger() -> None:
    plain, wide = held(), held(USERS)
    before, after = confidence_of(plain, RATE), confidence_of(wide, RATE)
    assert before.ranges == ()
    assert after.ranges == (USERS,)
    assert before.gpus is not None
    assert after.gpus is not None
    assert before.gpus < after.gpus
    assert before.holds < 0.9
    narrow = TypedRange(key="users", low=USERS.middle * 0.9999, high=USERS.middle * 1.0001)
    assert confidence_of(held(narrow), RATE).holds == pytest.approx(before.holds, abs=0.04)
    assert confidence_of(held(narrow), RATE).replicas == before.replicas


def test_no_size_is_told_where_none_does() -> None:
    needed = np.array([[2.0, 3.0]] * 8 + [[2.0, np.inf]] * 2)
    cases = Cases(shape=held().planned, needed=needed)
    assert cases.sizes(0.8) == (2, 3)
    assert cases.sizes(0.9) is None


def test_every_input_takes_each_of_its_values_as_often_and_no_two_rise_together() -> None:
    base = Situation(rate=RATE, prefix_hit=HIT.middle)
    points = list(situations((USERS, EACH), base))
    assert len({one.rate for one in points}) == PARTS
    assert np.mean(np.log([one.rate / RATE for one in points])) == pytest.approx(0.0, abs=1e-9)
    first = [one.at((place + 0.5) / PARTS) / one.middle for one in (USERS,) for place in range(PARTS)]
    second = [point.rate / RATE / by for point, by in zip(points, first, strict=True)]
    assert sorted(second) == pytest.approx([EACH.at((place + 0.5) / PARTS) / EACH.middle for place in range(PARTS)])
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.2
    assert len({one.prefix_hit for one in situations((USERS, HIT), base)}) == FEW
