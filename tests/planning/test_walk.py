"""One shape of fleet: the sizes that are expected to hold, those that might, and where it is settled."""

from __future__ import annotations

import math

import pytest

from fleettui.domain.plan import Verdict
from fleettui.planning.pool_facts import PRIOR, Known
from fleettui.planning.trial import Trial
from fleettui.planning.walk import Sizes, Walk
from tests.planning.trials import curves, scaled, shape

LIMIT = 0.85


def walk(*sizes: int, work: list[float] | None = None, known: Known | None = None, gpu: str = "h100") -> Walk:
    asked = shape(*sizes, work=work or [0.2 * size for size in sizes], gpu=gpu)
    return Walk.of(asked, curves(asked), known or Known(), max_utilization=LIMIT)


def trial(one: Walk, sizes: Sizes, *pools: Verdict | None, shares: tuple[float | None, ...] = ()) -> Trial:
    rows = tuple((share,) for share in shares or (None,) * len(sizes))
    return Trial(candidate=scaled(one.shape, sizes), pools=pools, utilization=tuple(0.5 for _ in sizes), shares=rows)


def test_at_first_the_formulas_sizes_are_expected_and_fewer_might_do() -> None:
    one = walk(10, 5)
    assert one.expected == (10, 5)
    assert one.at_best() == (8, 4)


def test_what_was_seen_corrects_what_is_expected() -> None:
    """At ten replicas the latency is 1.3 times its limit by simulation, which the formula says it just keeps."""
    one = walk(10)
    one.learn(trial(one, (10,), "fail", shares=(1.3,)))
    assert one.expected == (13,), "less loaded, it errs less"
    one.learn(trial(one, (13,), "fail", shares=(1.02,)))
    assert one.expected == (14,)
    one.learn(trial(one, (14,), "pass", shares=(0.99,)))
    assert one.expected == (14,), "what passed is never exceeded"
    assert one.settled is one.trials[14,]


def test_a_pool_of_another_fleet_counts_as_one_of_its_own() -> None:
    known = Known()
    one, other = walk(10, 5, known=known), walk(8, 5, known=known)
    one.learn(trial(one, (10, 5), "pass", "fail", shares=(0.9, 1.05)))
    assert other.expected is not None
    assert other.expected[1] > 5
    assert other.with_fewer(1, 6) == (one.trials[10, 5], 1)


def test_a_limit_that_no_size_keeps_leaves_nothing_to_expect() -> None:
    one = walk(2)
    one.learn(trial(one, (2,), "fail", shares=(40.0,)))
    assert one.expected is None
    assert one.sizes == (3,), "upwards all the same"
    one.learn(trial(one, (3,), "fail"))
    assert one.sizes == (5,)


def test_a_pool_that_is_as_slow_at_twice_its_size_gets_no_more_replicas() -> None:
    one = walk(2)
    one.learn(trial(one, (2,), "fail", shares=(1.50,)))
    one.learn(trial(one, (3,), "fail", shares=(1.49,)))
    assert not one.stuck, "not twice as many yet"
    one.learn(trial(one, (5,), "fail", shares=(1.48,)))
    assert one.stuck
    assert one.expected is None
    assert one.at_best() is None


def test_a_pool_that_gets_faster_goes_on() -> None:
    one = walk(2)
    one.learn(trial(one, (2,), "fail", shares=(1.50,)))
    one.learn(trial(one, (5,), "fail", shares=(1.40,)))
    assert not one.stuck


def test_a_queue_at_the_first_size_does_not_hide_that_more_replicas_gain_nothing() -> None:
    one = walk(2)
    for size, share in ((2, 9.0), (3, 1.50), (5, 1.49)):
        one.learn(trial(one, (size,), "fail", shares=(share,)))
    assert not one.stuck, "five are not twice three"
    one.learn(trial(one, (9,), "fail", shares=(1.49,)))
    assert one.stuck


def test_no_size_beyond_the_utilization_limit_is_next() -> None:
    assert walk(3, work=[3.4]).expected == (4,)
    assert walk(3, work=[3.4]).sizes == (4,)
    assert walk(7, work=[7 * 0.85]).least == (7,)


def test_what_a_trial_says_nothing_of_is_tried_again() -> None:
    one = walk(4, 4, work=[0.5, 0.5])
    one.learn(trial(one, (4, 4), None, "fail"))
    assert one.sizes == (4, 5)
    assert one.settled is None


@pytest.mark.parametrize(("work", "expected"), [([0.3], (1,)), ([3.0], (4,))])
def test_the_fewest_that_the_load_allows_are_settled_by_one_trial(work: list[float], expected: Sizes) -> None:
    one = walk(*expected, work=work)
    one.learn(trial(one, expected, "pass"))
    assert one.settled is one.trials[expected]
    assert one.stuck


def test_what_holds_is_left_by_more_than_one_where_far_fewer_are_expected_to() -> None:
    """The formulas are seen to be too careful; where latencies leap in between is found by halves."""
    one = walk(34)
    one.learn(trial(one, (33,), "pass", shares=(0.4,)))
    assert one.expected is not None
    assert (one.sizes, one.closer) == ((32,), ((one.expected[0] + 32) // 2,))
    one.learn(trial(one, one.closer, "fail", shares=(1.6,)))
    low = one.closer
    assert low == one.expected
    one.learn(trial(one, low, "fail", shares=(1.3,)))
    assert low < one.closer <= (32,)
    close = walk(10)
    close.learn(trial(close, (10,), "pass", shares=(0.99,)))
    assert close.closer == close.sizes == (9,)


def test_doubts_are_those_of_the_pool_that_is_expected_to_break_its_limit_by_most() -> None:
    one = walk(10, 5)
    assert one.doubts((10, 5)) == pytest.approx(0.0)
    assert one.doubts((9, 4)) == pytest.approx(math.log(5 / 4) / PRIOR)
    assert one.doubts((5, 5)) == pytest.approx(math.log(2) / PRIOR)
    assert one.doubts((20, 10)) == pytest.approx(-math.log(2) / PRIOR)
