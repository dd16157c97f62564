"""Traffic over a day: windows that join, and what is refused."""

import pytest

from fleettui.domain.day import Day, Window, steady
from fleettui.errors import InputError


def day(*rows: tuple[float, float, float]) -> Day:
    return Day(name="mine", windows=tuple(Window(start=start, end=end, rate=rate) for start, end, rate in rows))


def test_its_rates_are_found_by_their_moments() -> None:
    own = day((0, 60, 2.0), (60, 180, 5.0), (180, 240, 0.0))
    assert (own.peak, own.mean, own.requests, own.hours) == (5.0, 3.0, 720.0, 240 / 3600)
    assert [own.at(moment) for moment in (0.0, 59.9, 60.0, 239.0, 1e9)] == [2.0, 2.0, 5.0, 0.0, 0.0]
    assert [own.highest(*ends) for ends in ((0.0, 59.0), (0.0, 60.0), (190.0, 1e9), (300.0, 400.0))] == [2, 5, 0, 0]
    assert own.expected() == (120.0, 720.0, 720.0)
    assert own.scaled(10.0).windows[0].rate == 4.0
    assert steady(2.0, 60.0).peak == 2.0


def test_a_perfect_autoscaler_pays_for_the_highest_rate_until_its_next_change() -> None:
    own = day((0, 60, 2.0), (60, 180, 5.0), (180, 240, 0.0))
    assert own.perfect_share(60.0, 1.0) == pytest.approx(own.mean / 5.0)
    assert own.perfect_share(120.0, 1.0) == pytest.approx(1.0)
    assert own.perfect_share(180.0, 1.0) == pytest.approx(0.75)
    assert steady(2.0, 600.0).perfect_share(60.0) == 1.0
    assert day((0, 1, 2.0), (1, 86_400, 0.0)).perfect_share(600.0) == pytest.approx(1 / 144)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([(0, 60, 1.0), (120, 180, 1.0)], "row 2: there is a gap before it"),
        ([(0, 60, 1.0), (30, 90, 1.0)], "row 2: it overlaps the one before it"),
        ([(0, 60, -1.0)], "the rate must not be negative"),
        ([(0, 60, float("nan"))], "the rate must not be negative"),
        ([(0, 0, 1.0)], "ends before it has begun"),
        ([(60, 120, 1.0)], "traffic starts at 0"),
        ([(0, 60, 0.0)], "no request comes"),
        ([(0, 40 * 86_400, 1.0)], "too long to replay"),
        ([], "there is no traffic"),
    ],
)
def test_what_is_no_day_is_refused(rows: list[tuple[float, float, float]], words: str) -> None:
    with pytest.raises(InputError, match=words):
        day(*rows)


def test_a_part_counts_from_its_own_start() -> None:
    found = day((0, 60, 2.0), (60, 120, 5.0)).part(30.0, 90.0)
    assert [(one.start, one.end, one.rate) for one in found.windows] == [(0, 30, 2.0), (30, 60, 5.0)]


def test_a_spike_multiplies_the_rate_for_a_while() -> None:
    own = day((0, 60, 2.0), (60, 120, 5.0))
    high = own.spiked(50.0, 20.0, 3.0)
    assert [(one.start, one.end, one.rate) for one in high.windows] == [
        (0, 50, 2.0),
        (50, 60, 6.0),
        (60, 70, 15.0),
        (70, 120, 5.0),
    ]
    assert own.spiked(60.0, 60.0, 2.0).requests == 120.0 + 600.0
    with pytest.raises(InputError, match="not within the day"):
        own.spiked(100.0, 30.0, 2.0)


def test_a_gap_and_an_overlap_say_what_to_do() -> None:
    with pytest.raises(InputError, match="do: add the rows that are missing"):
        day((0, 60, 1.0), (120, 180, 1.0))
    with pytest.raises(InputError, match="do: take one of them out"):
        day((0, 60, 1.0), (30, 90, 1.0))
