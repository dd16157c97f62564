"""How far formulas may err to the safe side, by what simulations showed of pools that are like one or unlike."""

from dataclasses import replace

import pytest

from fleettui.domain.anchor import NOTHING_SEEN, Anchor, SeenPool
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.at_best import AtBest
from fleettui.planning.pool_facts import ALIKE, DOUBTS, PRIOR
from tests.planning.trials import evidence, seen, shape

ASKED = Question(workload="chat", slo=Slo(ttft=0.5), confidence=0.9)
LOAD = 0.5
"""How busy a pool is that was seen; its TTFT was twice the formula's there."""

LATE = Anchor(seen=(SeenPool(utilization=LOAD, ratios=(("ttft", 2.0),), replicas=4, rate=10.0),))


def tried() -> Candidate:
    return replace(shape(4), evidence=evidence("pass", seen("short", (0.3, 0.45), "pass")))


def at_best(fleet: Candidate, expected: Anchor = LATE) -> Anchor:
    (found,) = AtBest.of(ASKED, 10.0, [tried()], []).anchors(fleet, [expected])
    return found


def test_where_nothing_was_seen_formulas_may_err_by_what_is_thought_before() -> None:
    (found,) = AtBest.of(ASKED, 10.0, [], []).anchors(shape(4), [NOTHING_SEEN])
    assert found.ratio("ttft", LOAD) == pytest.approx(2.718281828 ** (-DOUBTS * PRIOR))


def test_the_less_a_pool_is_like_one_that_was_seen_the_farther_formulas_may_err() -> None:
    own, other = (at_best(shape(4, gpu=gpu)).ratio("ttft", LOAD) for gpu in ("h100", "b200"))
    assert other < own < 2.0
    assert own == pytest.approx(2.0 * 2.718281828 ** (-DOUBTS * PRIOR * ALIKE))


def test_what_is_expected_is_no_better_than_that_and_says_which_sizes_hold() -> None:
    expected = Anchor(seen=(SeenPool(utilization=LOAD, ratios=(("ttft", 1.1),), replicas=3, rate=10.0, passed=False),))
    found = at_best(shape(4), expected)
    assert found.ratio("ttft", LOAD) == pytest.approx(1.1)
    assert found.least(10.0) == 4
