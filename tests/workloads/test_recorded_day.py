"""Recorded times as traffic: rates by the minute that add up to the requests, at the record's own rate alone."""

import pytest

from fleettui.domain.arrivals import ArrivalRecord
from fleettui.domain.autoscale import SPAN
from fleettui.errors import InputError
from fleettui.workloads.recorded_day import recorded_day

TIMES = tuple(0.75 * place for place in range(400))
RECORD = ArrivalRecord(rate=400 / 300.0, duration=299.25, times=TIMES)


def test_its_rates_add_up_to_the_requests_and_it_ends_a_gap_after_the_last() -> None:
    day = recorded_day(RECORD, rate=RECORD.rate)
    assert day.requests == pytest.approx(400.0)
    assert day.end == pytest.approx(300.0) == SPAN
    assert [one.end for one in day.windows] == pytest.approx([60.0, 120.0, 180.0, 240.0, 300.0])
    assert {round(one.rate, 9) for one in day.windows} == {round(4 / 3, 9)}
    assert day.part(150.0, 300.0).recorded == 150.0


def test_another_rate_and_a_spike_are_refused() -> None:
    with pytest.raises(InputError, match="the plan is for another rate") as found:
        recorded_day(RECORD, rate=2.0, where="--day")
    assert "--rate 1.333/s" in str(found.value)
    with pytest.raises(InputError, match="cannot be multiplied"):
        recorded_day(RECORD, rate=RECORD.rate).spiked(0.0, 60.0, 3.0)
