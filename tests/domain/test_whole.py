"""Whole numbers as they are typed: digits and nothing else, and no more of them than any count has."""

import pytest

from fleettui.domain.whole import LONGEST, whole


@pytest.mark.parametrize(("text", "number"), [("0", 0), (" 24 ", 24), ("9" * LONGEST, 10**LONGEST - 1)])
def test_plain_digits_are_a_number(text: str, number: int) -> None:
    assert whole(text) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.0", "1e3", "²", "٣", "9" * (LONGEST + 1), "9" * 5000])
def test_what_is_no_count_is_none(text: str) -> None:
    assert whole(text) is None
