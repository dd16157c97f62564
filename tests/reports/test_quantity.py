import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.errors import InputError
from fleettui.reports import units
from fleettui.reports.quantity import Quantity

ALL = (units.DURATION, units.RATE, units.TOKEN_RATE, units.TOKENS, units.FACTOR, units.POWER, units.MONEY_RATE)


@pytest.mark.parametrize("quantity", ALL, ids=lambda one: one.name)
@given(value=st.floats(min_value=1e-9, max_value=1e15))
def test_what_is_written_reads_back_exactly(quantity: Quantity, value: float) -> None:
    assert quantity.parse(quantity.write(value)) == value


@pytest.mark.parametrize("quantity", ALL, ids=lambda one: one.name)
@pytest.mark.parametrize(
    "text",
    ["", " ", "x", "-1", "0", "nan", "inf", "-inf/s", "1e999/s", "1e400", "1/0", "1 parsec", "9" * 50, "--", "1..2"],
)
def test_nonsense_is_refused_with_place_value_and_form(quantity: Quantity, text: str) -> None:
    with pytest.raises(InputError) as caught:
        quantity.parse(text, "--here")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("--here: ")
    assert "accepted:" in lines[1]
    assert len(lines) <= 3


def test_the_refusal_says_what_is_wrong() -> None:
    for text, what in (
        ("100", "rate needs a unit"),
        ("0/s", "rate must be above zero"),
        ("-5/s", "rate must be above zero"),
        ("NaN/s", "rate must be a finite number"),
        ("inf", "rate must be a finite number"),
        ("5/fortnight", "unknown unit of rate"),
        ("many", "this is no rate"),
    ):
        with pytest.raises(InputError, match=what):
            units.RATE.parse(text)


def test_zero_the_whole_and_the_limit() -> None:
    assert units.THINK_TIME.parse("0s") == 0
    with pytest.raises(InputError, match="whole number"):
        units.COUNT.parse("2.5")
    with pytest.raises(InputError, match="above 1"):
        units.SHARE.parse("101%")
    with pytest.raises(InputError, match="must not be negative"):
        units.SHARE.parse("-1%")


def test_a_value_never_becomes_infinite() -> None:
    assert math.isfinite(units.TOKENS.parse("9e200"))
    with pytest.raises(InputError, match="finite"):
        units.TOKENS.parse("9e307M")


def test_none_is_written_of_what_must_be_above_zero() -> None:
    """Joint plans were kept with a stock of none, which nobody may ask for."""
    assert units.COUNT.write(0) == "0"
    with pytest.raises(InputError, match="above zero"):
        units.COUNT.parse("0")
