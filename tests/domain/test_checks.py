"""How a value out of its range is refused."""

import math

import pytest

from fleettui.domain.checks import ABOVE_ZERO, FROM_ZERO, Range
from fleettui.errors import InputError


@pytest.mark.parametrize(
    ("range_", "value", "what"),
    [
        (FROM_ZERO, -1, "the rate must not be negative (got -1)"),
        (FROM_ZERO, math.nan, "the rate must not be negative (got nan)"),
        (FROM_ZERO, 10**400, "the rate is larger than any number that can be reckoned with (got 1000"),
        (FROM_ZERO, math.inf, "the rate must not be negative (got inf)"),
        (ABOVE_ZERO, 0, "the rate must be above zero (got 0)"),
        (ABOVE_ZERO, 10**309, "the rate is larger than any number that can be reckoned with"),
    ],
)
def test_a_number_is_refused_for_what_it_is(range_: Range, value: float, what: str) -> None:
    with pytest.raises(InputError) as caught:
        range_.check("the rate", value)
    first, accepted = str(caught.value).splitlines()
    assert first.startswith(what)
    assert accepted == f"  accepted: {range_.accepted}"
