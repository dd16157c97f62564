import math

import pytest

from fleettui.errors import InputError
from fleettui.reports.chart import Axis, Chart, Choice, Series

AXIS = Axis(label="x", write=str)
LOG = Axis(label="y", write=str, log=True)


def chart(*series: Series, y: Axis = AXIS) -> Chart:
    return Chart(title="t", series=series, x=AXIS, y=y, summary="s")


def test_a_key_per_point_or_none() -> None:
    Series(name="a", points=((0, 1),), keys=("k",))
    with pytest.raises(InputError, match="one key per point"):
        Series(name="a", points=((0, 1), (1, 2)), keys=("k",))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e301])
def test_what_is_not_finite_has_no_place(value: float) -> None:
    assert not AXIS.shows(value)
    assert not LOG.shows(value)


def test_a_log_axis_begins_above_zero() -> None:
    assert AXIS.shows(0.0)
    assert AXIS.shows(-1.0)
    assert not LOG.shows(0.0)
    assert not LOG.shows(-1.0)
    assert LOG.shows(1e-9)


def test_shown_leaves_out_points_without_a_place() -> None:
    series = Series(name="a", points=((0, 1), (math.nan, 1), (1, 0), (2, math.inf), (3, 5)))
    assert chart(series).shown(series) == ((0, 1), (1, 0), (3, 5))
    assert chart(series, y=LOG).shown(series) == ((0, 1), (3, 5))


def test_choices_come_in_the_order_of_x_over_all_series() -> None:
    first = Series(name="a", points=((5, 1), (1, 2)), keys=("late", "early"))
    without = Series(name="b", points=((0, 0),))
    third = Series(name="c", points=((3, 3), (4, math.nan)), keys=("middle", "nowhere"))
    assert chart(first, without, third).choices() == (
        Choice("early", 1, 2),
        Choice("middle", 3, 3),
        Choice("late", 5, 1),
    )
