from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from fleettui.domain.uncertain import END
from fleettui.domain.whatif import Growth, Orders, Stage, Step, months_until, rate_after
from fleettui.errors import InputError
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.growth import day, filled, with_ends
from fleettui.optimize.growth import stages as grown
from fleettui.optimize.spares import as_placed, placed
from tests.optimize.test_fleet_shape import LENGTHS, found

START = date(2026, 12, 1)


def step(up_to: float, gpus: int) -> Step:
    return Step(
        replicas=(gpus,), up_to=up_to, gpus=gpus, cost=2.0 * gpus, runs_out=("all",), limited_by="TTFT", ttft=0.4
    )


def growth(lead_days: float, months: int, orders: Orders = "each", today: date = START) -> Growth:
    return Growth(
        per_month=0.05,
        span=None,
        start=START.isoformat(),
        today=today.isoformat(),
        lead_days=lead_days,
        months=months,
        orders=orders,
    )


def stages(lead_days: float, months: int, **asked: object) -> tuple[Stage, ...]:
    return grown(STEPS[0], STEPS, 100.0, growth(lead_days, months, **asked), lambda left: left[0])  # type: ignore[arg-type]


STEPS = [step(110.0, 5), step(150.0, 6), step(199.0, 7), step(260.0, 8)]


def test_doubling_takes_as_long_as_it_takes() -> None:
    assert months_until(100.0, 1.0, 200.0) == pytest.approx(1.0)
    assert rate_after(100.0, 0.08, 12.0) == pytest.approx(100.0 * 1.08**12)
    assert rate_after(100.0, 0.08, months_until(100.0, 0.08, 137.0)) == pytest.approx(137.0)


def test_each_fleet_is_needed_when_the_one_before_runs_out() -> None:
    """A rate that grows day by day passes each limit on the day that is said."""
    found = stages(30.0, 24)
    assert [stage.step.gpus for stage in found] == [5, 6, 7, 8]
    daily = 1.05 ** (12 / 365)
    for stage, before in zip(found[1:], STEPS, strict=False):
        rate, days = 100.0, 0
        while rate * daily <= before.up_to:
            rate, days = rate * daily, days + 1
        assert date.fromisoformat(stage.reached) == START + timedelta(days=days)
        assert stage.rate == before.up_to
        assert date.fromisoformat(stage.reached) - date.fromisoformat(stage.order_by) in {
            timedelta(days=30),
            timedelta(days=31),
        }


def test_the_first_fleet_is_there_and_late_orders_are_called_late() -> None:
    found = stages(120.0, 24)
    assert (found[0].reached, found[0].order_by, found[0].late) == ("2026-12-01", "", False)
    assert [stage.late for stage in found] == [False, *(date.fromisoformat(s.order_by) < START for s in found[1:])]
    assert found[1].late
    assert not found[-1].late


def test_late_is_against_today_and_not_the_day_on_which_growth_starts() -> None:
    """The first order falls before the start: that is late only once the day is over."""
    order = date.fromisoformat(stages(120.0, 24)[1].order_by)
    assert order < START
    for today, late in ((order, False), (order + timedelta(days=1), True)):
        assert stages(120.0, 24, today=today)[1].late == late


def test_an_order_covers_what_a_quarter_takes() -> None:
    asked = replace(growth(30.0, 24, "quarter"), per_month=0.15)
    orders = grown(STEPS[0], STEPS, 100.0, asked, lambda left: left[0])
    assert [stage.step.gpus for stage in orders] == [5, 7, 8]  # 110 x 1.15^3 is 167, and 260 is where the steps end
    assert [stage.ordered for stage in orders] == [0, 2, 1]
    assert [stage.rate for stage in orders] == [100.0, 110.0, 199.0]
    by_month = grown(STEPS[0], STEPS, 100.0, replace(asked, orders="month"), lambda left: left[0])
    assert [stage.step.gpus for stage in by_month] == [5, 6, 7, 8]  # 110 x 1.15 is 127


def test_orders_are_whole_nodes_and_use_all_that_they_hold() -> None:
    asked, fleet, profiles = found(40.0, pools=(1,))
    shape, own = Shape.of(fleet, asked, profiles, [(1.0, LENGTHS)]), fleet.pools[0].replicas

    def at(replicas: int) -> Step:
        return replace(step(10.0 * replicas, 0), replicas=(replicas,), gpus=2 * replicas)

    steps: Sequence[Step] = [at(replicas) for replicas in range(own + 1, own + 20)]
    for first in range(6):
        taken = filled(shape, (own,), "quarter", steps[first:])
        nodes, rest = divmod(taken.gpus - 2 * own, 8)
        assert rest == 0
        assert 8 * (nodes - 1) < steps[first].gpus - 2 * own <= 8 * nodes
        assert taken.replicas == (own + 4 * nodes,), "four replicas on two GPUs each"
        assert taken.cost == taken.gpus * profiles[0].price_per_hour
        assert taken.there == ((fleet.pools[0].gpu, taken.gpus),)


def test_a_fleet_of_less_than_a_node_orders_no_more_than_it_needs() -> None:
    """Found: 8 GPUs ordered beside 2, where one more holds: the first two were of no node."""
    asked, fleet, profiles = found(40.0, pools=(1,))
    shape, paid = Shape.of(fleet, asked, profiles, [(1.0, LENGTHS)]), replace(asked, whole_nodes=True)
    steps = [replace(step(10.0 * size, 0), replicas=(size,), gpus=2 * size) for size in range(3, 12)]
    single = filled(shape, (2,), "quarter", steps)
    assert (single.replicas, single.gpus) == ((3,), 6)
    assert filled(shape, (4,), "quarter", steps[2:]).gpus == 16, "beside a node comes a node"
    whole = filled(Shape.of(fleet, paid, profiles, [(1.0, LENGTHS)]), (2,), "quarter", steps)
    assert (whole.replicas, whole.gpus) == ((4,), 8)


def test_what_is_ordered_beside_spares_on_nodes_of_their_own_fills_none() -> None:
    """Found: 8 more in one node beside 5+2 on 7 nodes: 4 of 11 on it, of which 9 are needed 99.9 % of the time.

    Where the fleet fills its nodes, larger ones do, too, with the spares of that.
    """
    asked, fleet, profiles = found(40.0, pools=(1,))
    (pool,), (hardware,) = fleet.pools, profiles
    asked = replace(asked, availability=0.985, availability_of="node", availability_target=0.999)
    fleet = replace(fleet, pools=(replace(pool, replicas=5, spares=2),))
    assert as_placed(asked, fleet, profiles) == asked
    filling = as_placed(asked, replace(fleet, pools=(replace(pool, replicas=5, spares=4),)), profiles)
    assert filling == replace(asked, shared_nodes=True)
    assert as_placed(replace(asked, availability=None), fleet, profiles).shared_nodes is False, "nothing fails"
    steps = [replace(step(10.0 * size, 0), replicas=(size,), gpus=2 * size) for size in range(6, 20)]
    for of, size, gpus, lot, idle in ((asked, 6, 16, 1, ()), (filling, 8, 26, 8, ((pool.gpu, 2),))):
        taken = filled(Shape.of(fleet, of, profiles, [(1.0, LENGTHS)]), (5,), "quarter", steps)
        assert (taken.replicas, taken.gpus, taken.lots) == ((size,), gpus, ((pool.gpu, lot),))
        assert taken.idle == idle, "the next replica takes four spare ones more"
        group = placed(size, gpus // 2, hardware, of)
        assert group is not None
        assert group.all_up(size, gpus // 2) >= 0.999


def test_what_is_paid_for_serves_before_anything_is_ordered() -> None:
    """Found: 14 GPUs in two nodes ran out months before the 16 that were paid for did."""
    full = grown(STEPS[1], STEPS, 100.0, growth(30.0, 24), lambda left: left[0])
    assert full[1:] == stages(30.0, 24)[2:]
    assert full[0].step == STEPS[1]


def test_the_days_of_orders_have_ends() -> None:
    """By the span of the growth, and by how long each fleet lasts at longer and at shorter steps."""
    plain, asked = stages(30.0, 24), growth(30.0, 24)
    by_steps = [*with_ends(plain, 100.0, asked, _untils(plain, 1.25))]
    span = replace(asked, span=(0.03, 0.08))
    by_growth = [*with_ends(plain, 100.0, span, ())]
    for ended in (by_steps, by_growth):
        assert (ended[0].earliest, ended[0].latest) == ("", "")
        assert all(one.earliest < one.order_by < one.latest for one in ended[1:])
    assert by_steps[1].earliest == day(START, -30.0 * 12 / 365).isoformat(), "it is too small already"
    months = months_until(100.0, 0.08, STEPS[0].up_to)
    assert by_growth[1].earliest == day(START, months - 30.0 * 12 / 365).isoformat()
    slowest = replace(asked, span=(1e-6, 0.08))
    assert [one.latest for one in with_ends(plain, 100.0, slowest, ())] == [""] * len(plain)


def test_the_days_of_a_growth_within_a_span_count_how_long_a_fleet_may_last_too() -> None:
    """Held to draws: a growth as likely anywhere in its span, steps lognormal with 90 % of them between the ends."""
    plain, asked = stages(0.0, 24), replace(growth(0.0, 24), span=(0.04, 0.06))
    (_, *both), (_, *narrow) = (
        [*with_ends(plain, 100.0, asked, _untils(plain, factor))] for factor in (1.25, 1.0 + 1e-9)
    )
    assert all(a.earliest < b.earliest < b.latest < a.latest for a, b in zip(both, narrow, strict=True))
    draws = np.random.default_rng(1)
    until = STEPS[2].up_to * 1.25 ** (draws.standard_normal(200_000) / END)
    months = np.log(np.maximum(until, 100.0) / 100.0) / np.log1p(draws.uniform(0.04, 0.06, 200_000))
    for told, share in ((both[2].earliest, 0.05), (both[2].latest, 0.95)):
        drawn = day(START, float(np.quantile(months, share)))
        assert abs((date.fromisoformat(told) - drawn).days) <= 6


def _untils(plain: Sequence[Stage], factor: float) -> list[tuple[float, float, float]]:
    """Return what each fleet lasts until where steps take longest, as predicted and shortest, so far to each side."""
    return [(one.step.up_to / factor, one.step.up_to, one.step.up_to * factor) for one in plain]


def test_nothing_beyond_the_horizon() -> None:
    assert len(stages(0.0, 1)) == 1
    assert len(stages(0.0, 3)) == 2


def test_the_calendar_ends() -> None:
    with pytest.raises(InputError, match="calendar"):
        day(START, 1e9)
