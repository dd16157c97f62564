"""What a fleet needs over years, by its levels."""

from dataclasses import replace

import pytest

from fleettui.domain.need import HOURS, Level
from tests.domain.test_money import DAY, NEED


def test_growth_adds_replicas_month_by_month() -> None:
    grown = replace(NEED, growth=0.10)
    assert grown.gpus("h100", 100.0) == 32
    assert grown.gpus("h100", 100.1) == 40
    assert grown.gpus("h100", 0.0) == 8
    assert max(count for _, count in grown.spans("h100", 0, 12)) == 8 * 12  # 4 · 1.1^11 = 11.4
    assert grown.requests == pytest.approx(DAY.mean * sum(1.1**month for month in range(12)) / 12 * HOURS * 3600.0)


def test_the_rates_that_may_come_are_those_of_the_last_month_under_a_fifth_more_load() -> None:
    least, most = replace(NEED, growth=0.10).rates
    assert (least, most) == (pytest.approx(20.0 * 0.8), pytest.approx(100.0 * 1.1**11 * 1.2))


def test_what_no_level_reaches_is_an_error_of_the_program() -> None:
    with pytest.raises(AssertionError, match="400/s, and 401/s comes"):
        NEED.gpus("h100", 401.0)


def test_gpus_come_and_go_by_the_replica_and_those_of_whole_nodes_by_the_node() -> None:
    """Replicas of 8 on nodes of 12 are paid for by 12, of which neither 8 nor 12 are a unit."""
    assert NEED.replica("h100") == 8
    nodes = replace(
        NEED, levels=tuple(Level(up_to=up_to, gpus=(("h100", gpus),)) for up_to, gpus in ((1, 12), (2, 24)))
    )
    assert nodes.replica("h100") == 4
