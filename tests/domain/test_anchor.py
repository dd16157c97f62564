import math
from dataclasses import replace

import pytest

from fleettui.domain.anchor import NOTHING_SEEN, Anchor, SeenPool

FAILED = SeenPool(utilization=0.8, ratios=(("ttft", 1.44),), replicas=8, rate=100.0, passed=False)
PASSED = SeenPool(utilization=0.64, ratios=(("ttft", 1.21), ("tpot", 1.1)), replicas=10, rate=100.0, passed=True)
ANCHOR = Anchor(seen=(FAILED, PASSED))


def test_pools_that_were_seen_correct_a_latency_and_fade_as_load_does() -> None:
    assert ANCHOR.ratio("ttft", 0.8) == pytest.approx(1.44)
    assert ANCHOR.ratio("ttft", 0.64) == pytest.approx(1.21)
    assert ANCHOR.ratio("ttft", 0.16) == pytest.approx(1.1)  # a quarter of the load, half of the logarithm
    assert ANCHOR.ratio("ttft", 0.72) == pytest.approx((1.44 * 1.21) ** 0.5)
    assert ANCHOR.ratio("ttft", 3.2) == pytest.approx(1.44**2)
    assert ANCHOR.ratio("tpot", 0.8) > 1.1
    assert ANCHOR.ratio("e2e", 0.8) == NOTHING_SEEN.ratio("ttft", 0.8) == 1.0


def test_pools_of_unlike_requests_say_nothing_of_one_another() -> None:
    short = SeenPool(utilization=0.7, ratios=(("ttft", 1.4),), replicas=3, rate=100.0, work=0.02)
    whole = SeenPool(utilization=0.75, ratios=(("ttft", 0.9),), replicas=9, rate=100.0, work=0.1)
    both = Anchor(seen=(short, whole))
    assert both.ratio("ttft", 0.75, 0.09) == pytest.approx(0.9)
    assert both.ratio("ttft", 0.7, 0.025) == pytest.approx(1.4)
    assert both.ratio("ttft", 0.7) == pytest.approx(1.4)
    assert both.ratio("ttft", 0.725) == pytest.approx((1.4 * 0.9) ** 0.5)


def test_what_failed_fails_at_higher_rates_and_what_passed_passes_at_lower_ones() -> None:
    assert [ANCHOR.least(rate) for rate in (90.0, 100.0, 110.0)] == [1, 9, 9]
    assert [ANCHOR.most(rate) for rate in (90.0, 100.0, 110.0)] == [10, 10, math.inf]
    assert (NOTHING_SEEN.least(100.0), NOTHING_SEEN.most(100.0)) == (1, math.inf)


@pytest.mark.parametrize(("replicas", "rate", "least"), [(8, 100.0, 1), (7, 110.0, 1), (9, 100.0, 9), (8, 99.0, 9)])
def test_what_a_few_runs_left_open_is_no_failure_where_as_few_were_proven_to_hold(
    replicas: int, rate: float, least: int
) -> None:
    """A pool of 8 passed in its own proof, and in a look's ten runs at the same rate it was not proven to."""
    held = replace(PASSED, replicas=replicas, rate=rate)
    assert Anchor(seen=(held, FAILED)).least(100.0) == Anchor(seen=(FAILED, held)).least(100.0) == least


def test_what_was_seen_at_nearly_a_rate_was_seen_at_it() -> None:
    assert ANCHOR.was_seen(10, 101.0)
    assert not ANCHOR.was_seen(10, 103.0)
    assert not ANCHOR.was_seen(9, 100.0)


def test_of_other_requests_only_the_ratios_are_known() -> None:
    elsewhere = ANCHOR.elsewhere
    assert (elsewhere.least(100.0), elsewhere.most(100.0)) == (1, math.inf)
    assert elsewhere.ratio("ttft", 0.8) == ANCHOR.ratio("ttft", 0.8)
