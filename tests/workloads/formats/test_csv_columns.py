from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.workloads.formats import csv_columns


def column(*values: str) -> csv_columns.Column:
    split = csv_columns.split("".join(f"{value},x\n" for value in values).encode(), 2)
    assert split is not None
    return split[0]


@given(st.lists(st.integers(1, 999_999_999), min_size=1))
def test_integers_are_what_was_written(values):
    parsed = csv_columns.integers(column(*map(str, values)))
    assert parsed is not None
    assert parsed.tolist() == values


@given(st.lists(st.decimals(0, 10_000_000, places=6, allow_nan=False), min_size=1))
def test_decimals_are_the_nearest_floats(values):
    texts = [f"{value:f}" for value in values]
    parsed = csv_columns.decimals(column(*texts))
    assert parsed is not None
    assert parsed.tolist() == [float(text) for text in texts]


@given(st.lists(st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1)), min_size=1))  # noqa: DTZ001
def test_moments_are_seconds_since_1970(values):
    parsed = csv_columns.moments(column(*(value.isoformat(" ", "microseconds") + "0" for value in values)))
    assert parsed is not None
    assert parsed.tolist() == pytest.approx([value.replace(tzinfo=UTC).timestamp() for value in values], abs=1e-6)


def test_moments_may_differ_in_width_and_name_the_zone():
    parsed = csv_columns.moments(column("1970-01-01 00:00:01", "1970-01-01T00:00:02.5", "1970-01-01 00:00:03.25+00:00"))
    assert parsed is not None
    assert parsed.tolist() == [1.0, 2.5, 3.25]


@pytest.mark.parametrize("value", ["", "0", "-1", "1.0", "a", "1234567890", " 1"])
def test_unusual_integers_are_left_to_the_slow_path(value):
    assert csv_columns.integers(column("5", value)) is None


@pytest.mark.parametrize("value", ["", ".", "-1", "1e3", "1..2", "1.2.3", "nan", "9007199254740993", "1" * 19])
def test_unusual_decimals_are_left_to_the_slow_path(value):
    assert csv_columns.decimals(column("5", value)) is None


@pytest.mark.parametrize(
    "value",
    ["", "2023-02-29 00:00:00", "2023-13-01 00:00:00", "2023-01-01 24:00:00", "2023-01-01 00:00:00.",
     "2023/01/01 00:00:00", "2023-01-0a 00:00:00", "2023-01-01 00:00:00.5+02:00"],
)  # fmt: skip
def test_unusual_moments_are_left_to_the_slow_path(value):
    assert csv_columns.moments(column("2023-01-01 00:00:00", value)) is None


@pytest.mark.parametrize("data", [b"1,2\n3\n", b"1,2\n3,4,5\n", b'1,"2"\n', b"1\n2,3,4\n", b"1,2\n\n3,4\n"])
def test_ragged_or_quoted_lines_are_left_to_the_slow_path(data):
    assert csv_columns.split(data, 2) is None
