"""Lengths as breakpoints and as atoms answer the papers' method alike where both are exact."""

import pytest

from fleettui.hardware.paper_profiles import paper_profile
from fleettui.optimize.paper import uniform_atoms
from fleettui.optimize.paper_lengths import Counted, Drawn

CDF = ((100, 0.5), (200, 0.9), (400, 1.0), (800, 1.0))
DRAWN, COUNTED = Drawn(CDF), Counted.of(uniform_atoms(CDF))


@pytest.mark.parametrize("tokens", [50, 100, 150, 300, 400, 600])
def test_shares_are_linear_between_breakpoints(tokens: int) -> None:
    expected = {50: 0.25, 100: 0.5, 150: 0.7, 300: 0.95, 400: 1.0, 600: 1.0}[tokens]
    assert DRAWN.below(tokens) == pytest.approx(expected)
    assert COUNTED.below(tokens) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("above", "up_to", "drawn", "counted"),
    [
        (0, 100, True, True),
        (0, 50, False, True),  # there is no breakpoint to draw from
        (100, 400, True, True),
        (400, 800, False, False),  # a breakpoint with nothing below it
        (200, 200, False, False),
    ],
)
def test_a_range_holds_what_a_pool_can_be_calibrated_on(above: int, up_to: int, drawn: bool, counted: bool) -> None:
    assert DRAWN.holds(above, up_to) == drawn
    assert COUNTED.holds(above, up_to) == counted


def test_draws_come_close_to_the_sums() -> None:
    profile = paper_profile("a100")
    for above, up_to in ((0, 100), (0, 400), (200, 400)):
        some, every = (one.calibrate(profile, above, up_to) for one in (DRAWN, COUNTED))
        assert some.slots == every.slots
        assert some.mean_service == pytest.approx(every.mean_service, rel=0.05)
        assert some.total == pytest.approx(every.total, rel=0.05)
