"""What limit would do where no fleet keeps one."""

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.remedy import (
    SIMULATED,
    broken_alone,
    done_instead,
    is_simulated,
    largest_share,
    least_of_each,
    loosened,
    remedy,
    tighter,
    without_constraints,
    would_do_instead,
)
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from tests.store import samples

ASKED = Question(workload="chat", slo=Slo(ttft=0.5))
FLEET = replace(samples.candidate(cost=40.0), power=45_422.0)


def test_a_remedy_is_rounded_up_and_says_how_it_is_known() -> None:
    told = remedy("power", 45_422.0, FLEET)
    assert told == "a limit of 45.5 kW on the GPUs would do, by formula"
    assert not is_simulated(told)
    seen = remedy("power", 45_422.0, FLEET, SIMULATED)
    assert seen.startswith("a limit of 45.5 kW on the GPUs would do, as simulated (")
    assert is_simulated(seen)
    assert is_simulated(remedy("GPUs", 80.0, FLEET, SIMULATED))


@pytest.mark.parametrize(
    ("asked", "broken"),
    [
        ({"budget": 39.0}, ("budget", 40.0)),
        ({"max_power": 4e4}, ("power", 45_422.0)),
        ({"max_total_gpus": 1}, ("GPUs", float(FLEET.gpus))),
        ({"max_power": 5e4}, None),
        ({"max_power": 4e4, "budget": 39.0}, None),
    ],
)
def test_the_constraint_that_a_fleet_breaks_alone(asked: dict[str, Any], broken: tuple[str, float] | None) -> None:
    question = replace(ASKED, **asked)
    assert broken_alone(FLEET, question) == broken
    assert broken_alone(FLEET, without_constraints(question)) is None


def test_the_largest_share_of_a_constraint_that_a_fleet_uses() -> None:
    assert largest_share(FLEET, ASKED) == 0.0
    assert largest_share(FLEET, replace(ASKED, budget=50.0)) == 0.8
    assert largest_share(FLEET, replace(ASKED, budget=50.0, max_power=45_422.0 / 2)) == 2.0
    gpu = FLEET.fleet.pools[0].gpu
    assert largest_share(FLEET, replace(ASKED, max_gpus=((gpu, 0),))) > 1e6, "any is more than none"
    assert largest_share(FLEET, replace(ASKED, max_gpus=(("other", 0),))) == 0.0


@pytest.mark.parametrize(
    ("constraint", "used", "limit"),
    [
        ("budget", 85.895, ("budget", 85.89)),
        ("power", 45_422.0, ("max_power", 45_400.0)),
        ("feed", 9_721.0, ("max_feed", 9_720.0)),
        ("GPUs", 22.0, ("max_total_gpus", 21)),
    ],
)
def test_a_tighter_limit_is_the_next_below_what_is_told(constraint: str, used: float, limit: tuple[str, float]) -> None:
    name, value = limit
    tight = tighter(constraint, used, replace(ASKED, budget=1.0, max_power=1.0, max_feed=1.0, max_total_gpus=1))
    assert getattr(tight, name) == pytest.approx(value)


def test_without_a_limit_a_question_is_for_least_of_that_and_without_stock_as_it_was() -> None:
    asked = replace(ASKED, max_gpus=(("h100", 8), ("a100", 4)), max_total_gpus=9)
    assert loosened("inventory of h100", asked) == replace(asked, max_gpus=(("a100", 4),))
    assert loosened("GPUs", asked) == replace(asked, max_total_gpus=None, objective="gpus")


def test_what_has_least_of_each_limited_thing_is_asked_without_limits() -> None:
    asked = replace(ASKED, budget=1.0, max_feed=1.0, max_total_gpus=1, objective="gpus")
    measured = least_of_each(asked)
    assert [one.objective for one in measured] == ["cost", "energy"]
    assert {replace(one, objective="gpus") for one in measured} == {without_constraints(asked)}
    assert least_of_each(ASKED) == []


def test_what_would_do_in_place_of_a_fleet_that_was_given_is_no_remedy_of_a_limit() -> None:
    told = would_do_instead(replace(FLEET, cost_per_hour=31.5), replace(FLEET, cost_per_hour=47.2), ASKED, SIMULATED)
    assert told.endswith(" would do, as simulated: $31.50/h, $15.70/h less; fleettui plan proves it or a cheaper one")
    assert not is_simulated(told)
    assert f"instead: {done_instead(['slow', told])}" == told
