from __future__ import annotations

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.workloads.formats import cell_values

FILE = Path("t.csv")


@pytest.mark.parametrize(
    ("value", "count"), [("7", 7), (" +7 ", 7), ("7.0", 7), (7, 7), (7.0, 7), ("2147483647", 2**31 - 1)]
)
def test_whole_numbers_are_tokens(value, count):
    assert cell_values.tokens(value, "n", FILE, 1) == count


@pytest.mark.parametrize(
    "value",
    ["0", "-1", "1.5", "x", "", "1e3", "1_000", "2147483648", "9" * 40, "nan", 0, -1, 1.5, True, None, [1], "٣"],
)
def test_anything_else_is_refused(value):
    with pytest.raises(InputError, match=r"t.csv: line 9: n is not a whole number of tokens above zero") as caught:
        cell_values.tokens(value, "n", FILE, 9)
    assert "accepted: 1, 2, 3" in str(caught.value)


@pytest.mark.parametrize(("value", "number"), [("1.5", 1.5), ("-2", -2.0), ("1e3", 1000.0), (3, 3.0)])
def test_finite_numbers_are_seconds(value, number):
    assert cell_values.seconds(value, "t", FILE, 1) == number


def test_times_in_milliseconds_are_told_in_seconds():
    assert cell_values.seconds("1500", "t", FILE, 1, cell_values.MILLISECONDS) == 1.5
    assert cell_values.clock_of_text("1970-01-02", "t", FILE, 1, cell_values.MILLISECONDS) == 86_400.0


@pytest.mark.parametrize("value", ["x", "", "nan", "inf", None, True, [1], 10**400])
def test_no_other_value_is_a_time(value):
    with pytest.raises(InputError, match=r"t.csv: line 3: t is not a time in seconds"):
        cell_values.seconds(value, "t", FILE, 3)


def test_dates_are_seconds_since_1970_in_utc():
    assert cell_values.clock("1970-01-02 00:00:01.5", "t", FILE, 1) == 86_401.5
    assert cell_values.clock("1970-01-02T01:00:01+01:00", "t", FILE, 1) == 86_401.0


def test_a_date_that_is_none_is_refused():
    with pytest.raises(InputError, match=r"t.csv: line 4: t is not a date and time \(got '2023-13-01 00:00:00'\)"):
        cell_values.clock("2023-13-01 00:00:00", "t", FILE, 4)
