"""The estimator against the article's worked numbers and the vectors that were worked out from it."""

import pytest

from fleettui.autoscaling.estimator import (
    BOOST,
    HOLD,
    IDLE,
    Estimator,
    Observed,
    Settings,
    replicas_for,
    smoothed,
    terms,
)
from fleettui.errors import InputError


def test_two_jobs_a_second_of_ten_seconds_are_twenty_slots_and_27_with_headroom() -> None:
    found = terms(Observed(rate=2.0, service_time=10.0), Settings())
    assert (found.load, round(found.raw, 3)) == (20.0, 26.708)
    assert replicas_for(found.raw, Settings()) == 27
    assert 27 / found.load - 1 == pytest.approx(0.35)


def test_a_backlog_of_100_has_95_in_excess_and_asks_for_3_17_more() -> None:
    found = terms(Observed(rate=0.5, service_time=10.0, pending=100.0), Settings(kind="batch"))
    assert (found.load, found.headroom, found.excess) == (5.0, 0.0, 95.0)
    assert found.drain == pytest.approx(3.1667, abs=1e-4)
    assert replicas_for(found.raw, Settings(kind="batch")) == 9
    assert found.excess * 10.0 / found.drain == pytest.approx(300.0)
    assert found.excess * 10.0 / 4.0 == 237.5


@pytest.mark.parametrize(("load", "replicas"), [(5, 9), (100, 115), (1000, 1048)])
def test_headroom_grows_as_the_square_root(load: float, replicas: int) -> None:
    assert replicas_for(terms(Observed(rate=load, service_time=1.0), Settings()).raw, Settings()) == replicas


@pytest.mark.parametrize(("beta", "replicas"), [(0.5, 23), (1.0, 25), (2.0, 29)])
def test_beta_sets_the_headroom(beta: float, replicas: int) -> None:
    own = Settings(beta=beta)
    assert replicas_for(terms(Observed(rate=2.0, service_time=10.0), own).raw, own) == replicas


def test_the_square_root_is_of_slots_not_of_replicas() -> None:
    own = Settings(slots=20.0)
    assert replicas_for(terms(Observed(rate=2.0, service_time=10.0), own).raw, own) == 2


def test_smoothing_rises_at_once_and_falls_by_the_step() -> None:
    before, found = None, []
    for raw in (10, 14, 9, 9, 12, 4, 4, 4, 4, 0, 0):
        before = smoothed(float(raw), before, 2.0)
        found.append(before)
    assert found == [10, 14, 12, 10, 12, 10, 8, 6, 4, 2, 0]


def test_it_does_not_fall_for_so_long_after_it_rose() -> None:
    own = Estimator(settings=Settings(kind="batch", step=1.0, cycle=60.0, hold=120.0))
    rates = (6.0, 2.0, 2.0, 2.0, 7.0, 2.0, 2.0)
    found = [own.cycle(Observed(rate=rate, service_time=1.0), 60.0 * at).target for at, rate in enumerate(rates)]
    assert found == [6, 6, 5, 4, 7, 7, 6]


def test_a_step_is_of_replicas_a_minute() -> None:
    own = Estimator(settings=Settings(kind="batch", slots=20.0, cycle=60.0))
    rates = (100.0, 40.0, 40.0, 40.0)
    found = [own.cycle(Observed(rate=rate, service_time=1.0), 60.0 * at) for at, rate in enumerate(rates)]
    assert [one.smooth for one in found] == [100.0, 80.0, 60.0, 40.0]
    assert [one.target for one in found] == [5, 4, 3, 2]
    assert found[1].reason == "raw 40.0 = L 40.0; held at 80.0"


def test_a_short_dip_ends_nothing() -> None:
    own = Estimator(settings=Settings(kind="batch", cycle=60.0, step=1.0))
    found = [own.cycle(Observed(rate=rate, service_time=1.0), 60.0 * at) for at, rate in enumerate((10.0, 8.0, 9.0))]
    assert [one.target for one in found] == [10, 9, 9]
    assert own.cycle(Observed(rate=10.0, service_time=1.0), 180.0).target == 10


def test_one_stays_until_the_demand_has_been_gone_for_long() -> None:
    own = Estimator(settings=Settings(kind="batch", step=100.0))
    quiet = Observed(rate=0.0, service_time=10.0)
    own.cycle(Observed(rate=1.0, service_time=10.0), 0.0)
    assert own.cycle(quiet, IDLE - 1.0).target == 1
    idle = own.cycle(quiet, IDLE)
    assert (idle.target, idle.reason) == (0, "no demand for 600 s")
    bounded = Estimator(settings=Settings(kind="batch", least=2))
    assert bounded.cycle(quiet, 2 * IDLE).target == 2


def test_a_burst_of_rejects_adds_a_quarter_and_does_not_compound() -> None:
    own = Estimator(settings=Settings(kind="batch", cycle=60.0))

    def cycle(now: float, rejected: int, provisioned: int) -> float:
        seen = Observed(rate=10.0, service_time=1.0, rejected=rejected, provisioned=provisioned)
        return own.cycle(seen, now).terms.boost

    assert cycle(0.0, 2, 10) == 0.0
    assert cycle(60.0, 3, 10) == 3.0 == -(-BOOST * 10 // 1)
    assert cycle(120.0, 50, 13) == 3.0
    assert cycle(120.0 + HOLD, 0, 13) == 3.0
    assert [cycle(180.0 + HOLD + 60.0 * at, 0, 13) for at in range(4)] == [2.0, 1.0, 0.0, 0.0]


def test_what_is_launched_leaves_out_what_starts_already() -> None:
    own = Estimator(settings=Settings())
    found = own.cycle(Observed(rate=2.0, service_time=10.0, provisioned=25), 0.0)
    assert (found.target, found.launch) == (27, 2)
    assert found.reason == "raw 26.7 = L 20.0 + head 6.7"


@pytest.mark.parametrize("name", ["step", "slots", "cycle", "drain"])
def test_a_step_of_nothing_would_never_fall(name: str) -> None:
    with pytest.raises(InputError, match=f"the estimator's {name} must be above 0"):
        Settings(**{name: 0.0})  # type: ignore[arg-type]


def test_bounds_that_leave_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="fewer than the least"):
        Settings(least=4, most=3)
