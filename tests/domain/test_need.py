"""What a fleet needs over years, by its levels."""

import math
from dataclasses import replace

import pytest

from fleettui.domain.need import HOURS, Level
from fleettui.domain.whatif import DAYS_PER_MONTH
from tests.domain.test_money import DAY, NEED


def test_growth_adds_replicas_from_the_days_on_that_it_needs_them() -> None:
    grown = replace(NEED, growth=0.10)
    day = DAYS_PER_MONTH
    # The next replica is needed as soon as 100/s grow; the one after it from ln(1.25) / ln(1.1) = 2.341 months on.
    assert grown.spans("h100", 0, 3, peak=True) == (
        (pytest.approx(71 / day), 40),
        (pytest.approx(3 - 71 / day), 48),
    )
    low = {count: length for length, count in grown.spans("h100", 0, 12)}
    # 20/s: one replica up to 25/s, from 2.341 months on two, up to 50/s at 9.614, that is from the 292nd day on three.
    assert low[8] == pytest.approx(71 / day * 50_400)
    assert low[16] == pytest.approx((292 - 71) / day * 50_400)
    assert max(low) == 8 * 13  # 4 · 1.1^12 = 12.55
    assert sum(low.values()) == pytest.approx(12 * 86_400)
    assert grown.spans("h100", 0, 12, peak=True)[-1][1] == 8 * 13
    assert grown.requests == pytest.approx(DAY.mean * (1.1**12 - 1) / (12 * math.log(1.1)) * HOURS * 3600.0)


def test_what_does_not_grow_needs_as_much_all_the_time() -> None:
    assert NEED.spans("h100", 0, 12) == ((12 * 50_400.0, 8), (12 * 36_000.0, 32))
    assert NEED.spans("h100", 0, 12, peak=True) == ((12.0, 32),)
    idle = replace(NEED, growth=0.10, day=replace(DAY, windows=(replace(DAY.windows[0], rate=0.0), DAY.windows[1])))
    assert idle.spans("h100", 0, 2) == ((2 * 86_400.0, 8),), "nothing grows from nothing"


def test_the_rates_that_may_come_are_those_of_the_start_and_the_end_a_fifth_less_and_more() -> None:
    least, most = replace(NEED, growth=0.10).rates
    assert (least, most) == (pytest.approx(20.0 * 0.8), pytest.approx(100.0 * 1.1**12 * 1.2))


def test_what_no_level_reaches_is_an_error_of_the_program() -> None:
    with pytest.raises(AssertionError, match="400/s, and 401/s comes"):
        replace(NEED, load=4.01).spans("h100", 0, 12)


def test_gpus_come_and_go_by_the_replica_and_those_of_whole_nodes_by_the_node() -> None:
    """Replicas of 8 on nodes of 12 are paid for by 12, of which neither 8 nor 12 are a unit."""
    assert NEED.replica("h100") == 8
    nodes = replace(
        NEED, levels=tuple(Level(up_to=up_to, gpus=(("h100", gpus),)) for up_to, gpus in ((1, 12), (2, 24)))
    )
    assert nodes.replica("h100") == 4
