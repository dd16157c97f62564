"""The greatest rate of a fleet is found at the rungs of one ladder, in few looks however far off the formulas are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from fleettui.domain.plan import Look, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.fleet_limits import MOST_RATES
from fleettui.planning.greatest_rate import Reach
from fleettui.planning.ladder import above, is_rung, place, rung
from tests.planning.trials import evidence, seen, shape

ASKED = Question(workload="made-up", slo=Slo(ttft=0.5), gpus=("h100",))
LIMIT = 0.5
Expect = Callable[[list[Look]], float]
"""Says up to which rate a fleet is expected to hold, from the looks at it."""


def look(rate: float, ttft: float) -> Look:
    """Return a look at a rate that passes or fails by its TTFT in seconds, whose interval is 4 % wide."""
    verdict: Verdict = "pass" if 1.02 * ttft <= LIMIT else "fail"
    own = evidence(verdict, seen("short", (0.98 * ttft, 1.02 * ttft), verdict))
    return Look(rate=rate, candidate=replace(shape(2), evidence=own))


def found(asked: float, ttft: Callable[[float], float], expect: Expect) -> tuple[Reach, int]:
    """Return how far a fleet reaches that is asked about at a rate, and the looks that this took beside the first."""
    looks, climbs = [look(asked, ttft(asked))], 0
    for taken in range(MOST_RATES + 1):
        reach, expected = Reach.of(looks, ASKED), expect(looks)
        rate = reach.next_rung(expected, climbs)
        if rate is None:
            return reach, taken
        assert is_rung(rate)
        assert rate not in {one.rate for one in looks}
        looks.append(look(rate, ttft(rate)))
        climbs += looks[-1].holds
    raise AssertionError([one.rate for one in looks])


def steep(rate: float) -> float:
    return 0.45 + 0.04 * math.pow(rate / 71.0, 8)


def flat(rate: float) -> float:
    """Return a TTFT that hardly moves with the rate, as that of bursts does."""
    return 0.487 * math.pow(rate / 6.0, 0.22)


@pytest.mark.parametrize("asked", [20.0, 55.0, 61.0, 64.0, 69.9, 75.0, 140.0])
@pytest.mark.parametrize("error", [1.0, 0.9, 1.15])
def test_the_rate_asked_about_does_not_move_it(asked: float, error: float) -> None:
    """Found: a fleet held to 70.32/s, 70.94/s, 71.01/s or 71.33/s as 55/s, 58/s, 61/s or 64/s was asked about."""
    reach, taken = found(asked, steep, lambda _: error * 71.0)
    assert (reach.low, is_rung(reach.low), above(reach.low)) == (70.64, True, reach.high)
    assert taken <= MOST_RATES


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (2.0, 1.2),
        (5.0, 0.97),
        *((asked, error) for asked in (5.0, 9.0, 40.0) for error in (0.1, 1.2)),
    ],
)
def test_where_latency_hardly_moves_with_the_rate_it_is_found_in_as_many_looks(asked: float, error: float) -> None:
    """Found: bursts at eight replicas ended by formula after eight looks, each 2 % further down than the last."""

    def expect(looks: list[Look]) -> float:
        """Expect as much of the nearest rate that failed or held, as a formula that is off by a share of it does."""
        last = looks[-1]
        return last.rate * (0.9 * error if not last.holds else max(1.0, error))

    reach, taken = found(asked, flat, expect)
    assert reach.shown
    assert flat(reach.low) * 1.02 <= LIMIT < flat(reach.high) * 1.02
    assert taken <= MOST_RATES


def test_a_rate_that_holds_between_two_rungs_is_the_greatest_where_the_next_does_not() -> None:
    looks = [look(71.0, 0.48), look(above(71.0), 0.51)]
    reach = Reach.of(looks, ASKED)
    assert (reach.shown, reach.low) == (True, 71.0)
    below = [look(71.0, 0.51), look(rung(place(71.0)), 0.48)]
    assert (Reach.of(below, ASKED).shown, Reach.of(below, ASKED).low) == (True, 70.64)


def test_two_rates_that_just_fail_do_not_send_the_search_below_what_holds() -> None:
    """Found: 11.89/s and 12.37/s failed by a hair, and a line through both crossed at 4.35/s, at which 4.33/s held.

    The search then went up from there by 2 % a look, to eight.
    """
    failing = [look(12.37, 0.5003), look(11.89, 0.5001), look(11.65, 0.5)]
    far = Reach.of(failing, ASKED).crossing
    assert far is not None
    reach = Reach.of([*failing, look(rung(place(far) + 1), 0.45)], ASKED)
    assert reach.crossing is not None
    assert far < reach.low < reach.crossing <= reach.high


def test_what_a_formula_expects_is_told_within_what_looks_showed() -> None:
    """Found: bursts were told to hold to 6.183/s by formula, at which they were simulated and did not."""
    reach = Reach(low=5.943, high=6.183)
    assert [reach.between(rate) for rate in (5.0, 6.1, 6.183, 9.0)] == [5.943, 6.1, 6.062, 6.062]
    assert Reach(low=0.0, high=math.inf).between(0.0) is None
    assert Reach(low=0.0, high=10.35).between(20.0) == rung(place(10.2))


def test_nothing_is_left_to_look_at_where_nothing_is_expected_to_hold() -> None:
    assert Reach(low=0.0, high=math.inf).next_rung(0.0, 0) is None
    assert Reach(low=0.0, high=10.0, beyond=3).next_rung(20.0, 0) == rung(place(10.0) - 3)
