"""What a cost may come to, and the points of a line through an estimate, whichever ends are known."""

import dataclasses

import pytest

from fleettui.domain.plan import Estimate
from fleettui.reports.comparison.ranges import open_ended, span, through
from tests.reports.conftest import two_pools


@pytest.mark.parametrize(
    ("counts", "low", "high", "without_end"),
    [((8, 24), 20.0, 60.0, False), ((12, None), 30.0, None, True), ((None, None), None, None, False)],
)
def test_a_cost_reaches_as_far_as_its_gpus(
    counts: tuple[int | None, int | None], low: float | None, high: float | None, without_end: bool
) -> None:
    fleet = dataclasses.replace(two_pools(cost=40.0), gpus=16, gpus_range=counts)
    assert span(fleet) == Estimate(value=40.0, low=low, high=high)
    assert open_ended(span(fleet)) is without_end


@pytest.mark.parametrize(
    ("found", "points"),
    [
        (Estimate(value=2.0), ((2.0,), 0)),
        (Estimate(value=2.0, low=1.0), ((1.0, 2.0), 1)),
        (Estimate(value=2.0, high=3.0), ((2.0, 3.0), 0)),
        (Estimate(value=2.0, low=2.5, high=3.0), ((2.0, 2.0, 3.0), 1)),
    ],
)
def test_a_line_goes_through_the_ends_that_are_known(found: Estimate, points: tuple[tuple[float, ...], int]) -> None:
    assert through(found) == points
