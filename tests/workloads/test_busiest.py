"""A day of rates sizes by its busiest stretch."""

from dataclasses import replace

import pytest

from fleettui.domain.day import Day, Window
from fleettui.domain.workload import LengthDistribution, TimeSlice, Workload
from fleettui.errors import InputError
from fleettui.workloads.busiest import busiest_of, in_busiest

ONE = TimeSlice(start=0.0, duration=60.0, rate=2.0, lengths=LengthDistribution(kind="joint", atoms=((1.0, 9.0, 3.0),)))
CHAT = Workload(name="chat", slices=(ONE,), times=(0.0, 1.0), notes=("read",))


def day(*rates: float) -> Day:
    windows = (Window(start=3600.0 * place, end=3600.0 * (place + 1), rate=rate) for place, rate in enumerate(rates))
    return Day(name="day.csv", windows=tuple(windows))


def test_a_workload_comes_as_in_the_busiest_window_and_notes_the_others() -> None:
    found = in_busiest(CHAT, day(20.0, 60.0, 40.0))
    (part,) = found.slices
    assert (part.start, part.duration, part.rate, part.lengths) == (3600.0, 3600.0, 60.0, ONE.lengths)
    assert found.arrivals.mean_rate == 60.0
    assert found.times == ()
    assert found.day == day(20.0, 60.0, 40.0)
    assert found.notes == ("read", "day.csv: 3 slices over 3 h, 40/s on average; the busiest is 01:00-02:00, 60/s")


def test_windows_of_one_highest_rate_that_join_are_one_and_the_first_counts() -> None:
    assert busiest_of(day(1.0, 5.0, 5.0, 2.0, 5.0)) == (Window(start=3600.0, end=10_800.0, rate=5.0),)


def test_each_mix_of_lengths_is_a_slice_at_its_own_highest_rate() -> None:
    named = ("", "code", "code", "", "code")
    rates = (20.0, 5.0, 9.0, 60.0, 9.0)
    windows = [replace(one, workload=name) for one, name in zip(day(*rates).windows, named, strict=True)]
    code = LengthDistribution(kind="joint", atoms=((1.0, 900.0, 30.0),))
    found = in_busiest(CHAT, Day(name="day.csv", windows=tuple(windows)), {"code": code})
    seen = [(one.start, one.rate, one.workload) for one in found.slices]
    assert seen == [(7200.0, 9.0, "code"), (10_800.0, 60.0, "")]
    assert [one.lengths for one in found.slices] == [code, ONE.lengths]
    assert found.arrivals.mean_rate == 60.0, "the workload's own rate is the highest of all"
    assert found.notes[-1].endswith("of each mix of lengths: 02:00-03:00 (code), 9/s; 03:00-04:00, 60/s")


def test_lengths_in_which_nothing_comes_have_no_slice() -> None:
    windows = (*day(4.0).windows, Window(start=3600.0, end=7200.0, rate=0.0, workload="code"))
    assert len(in_busiest(CHAT, Day(name="day.csv", windows=windows), {"code": ONE.lengths}).slices) == 1


def test_a_workload_with_slices_of_its_own_is_refused() -> None:
    two = replace(CHAT, slices=(ONE, replace(ONE, start=60.0)))
    with pytest.raises(InputError, match="time slices of its own"):
        in_busiest(two, day(1.0))
