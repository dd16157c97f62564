from datetime import date, timedelta

import pytest

from fleettui.domain.whatif import Step
from fleettui.errors import InputError
from fleettui.optimize.growth import day, months_until, rate_after, stages

START = date(2026, 12, 1)


def step(up_to: float, gpus: int) -> Step:
    return Step(
        replicas=(gpus,), up_to=up_to, gpus=gpus, cost=2.0 * gpus, runs_out=("all",), limited_by="TTFT", ttft=0.4
    )


STEPS = [step(110.0, 5), step(150.0, 6), step(199.0, 7), step(260.0, 8)]


def test_doubling_takes_as_long_as_it_takes() -> None:
    assert months_until(100.0, 1.0, 200.0) == pytest.approx(1.0)
    assert rate_after(100.0, 0.08, 12.0) == pytest.approx(100.0 * 1.08**12)
    assert rate_after(100.0, 0.08, months_until(100.0, 0.08, 137.0)) == pytest.approx(137.0)


def test_each_fleet_is_needed_when_the_one_before_runs_out() -> None:
    """A rate that grows day by day passes each limit on the day that is said."""
    found = stages(STEPS, 100.0, 0.05, start=START, lead_days=30.0, months=24)
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
    found = stages(STEPS, 100.0, 0.05, start=START, lead_days=120.0, months=24)
    assert (found[0].reached, found[0].order_by, found[0].late) == ("2026-12-01", "", False)
    assert [stage.late for stage in found] == [False, *(date.fromisoformat(s.order_by) < START for s in found[1:])]
    assert found[1].late
    assert not found[-1].late


def test_nothing_beyond_the_horizon() -> None:
    assert len(stages(STEPS, 100.0, 0.05, start=START, lead_days=0.0, months=1)) == 1
    assert len(stages(STEPS, 100.0, 0.05, start=START, lead_days=0.0, months=3)) == 2


def test_the_calendar_ends() -> None:
    with pytest.raises(InputError, match="calendar"):
        day(START, 1e9)
