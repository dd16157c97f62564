"""The task `pareto`: the trade-off of the scene that it is given, over the profiles that it is given."""

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.hardware import Profile
from fleettui.domain.pareto import Tradeoff
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import dumps, from_plain, to_plain
from fleettui.domain.workload import Workload
from fleettui.optimize.pareto import trade
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import pareto, plan
from fleettui.planning.tasks.simulation_inputs import read


@pytest.fixture
def asked(question: Question) -> Question:
    return replace(question, splits=(2048,))


@pytest.fixture
def found(asked: Question) -> dict[str, Any]:
    return plan.run({"question": to_plain(asked)}, Context())


def payload(asked: Question, found: dict[str, Any], rate: float, profiles: Any) -> dict[str, Any]:
    return {
        "scene": f"pareto {rate} {len(profiles)}",
        "question": to_plain(asked),
        "workload": dumps(found["workload"]),
        "pairing": "joint",
        "rate": rate,
        "profiles": profiles,
    }


def test_it_is_the_trade_off_at_the_rate_it_is_given(asked: Question, found: dict[str, Any]) -> None:
    (case,), context = read(asked, from_plain(Workload, found["workload"]))
    profiles = from_plain(tuple[Profile, ...], found["profiles"])
    heard: list[str] = []
    listening = Context(report=lambda progress: heard.append(progress.message))
    got = pareto.run(payload(asked, found, 60.0, found["profiles"]), listening)
    expected = trade(asked, slices=case.at(60.0), profiles=profiles, grid=asked.splits, context=context)
    assert from_plain(Tradeoff, got["tradeoff"]) == expected
    assert expected.front
    assert "searching fleets for least power" in heard


def test_without_profiles_the_catalogue_has_them(asked: Question, found: dict[str, Any]) -> None:
    kept = pareto.run(payload(asked, found, 100.0, found["profiles"]), Context())
    assert pareto.run(payload(asked, found, 100.0, []), Context()) == kept
