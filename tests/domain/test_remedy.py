"""What limit would do where no fleet keeps one."""

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.remedy import SIMULATED, broken_alone, is_simulated, largest_share, remedy, without_constraints
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
