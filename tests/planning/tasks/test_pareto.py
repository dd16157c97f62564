"""The task `pareto`: the trade-off of the scene that it is given, over the profiles that it is given."""

from dataclasses import replace

import pytest

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.hardware import Profile
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.pareto import Tradeoff
from fleettui.domain.scenario import Question
from fleettui.optimize.pareto import trade
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import pareto, plan
from fleettui.planning.tasks.simulation_inputs import read


@pytest.fixture
def asked(question: Question) -> Question:
    return replace(question, splits=(2048,))


@pytest.fixture
def found(asked: Question) -> NewPlan:
    return plan.run(Context(), question=asked)


def traded(found: NewPlan, rate: float, profiles: tuple[Profile, ...], context: Context) -> Tradeoff:
    demand = DerivedDemand(rate=rate, arithmetic="", pairing="joint")
    source = SceneSource.of(found.scenario.question, found.workload, demand, f"pareto {len(profiles)}")
    return pareto.run(context, source=source, profiles=profiles)


@pytest.mark.thorough
def test_it_is_the_trade_off_at_the_rate_it_is_given(asked: Question, found: NewPlan) -> None:
    (case,), context = read(asked, found.workload)
    heard: list[str] = []
    got = traded(found, 60.0, found.profiles, Context(report=lambda progress: heard.append(progress.message)))
    expected = trade(asked, slices=case.at(60.0), profiles=found.profiles, grid=asked.splits, context=context)
    assert got == expected
    assert expected.front
    assert "searching fleets for least power" in heard


@pytest.mark.thorough
def test_without_profiles_the_catalogue_has_them(found: NewPlan) -> None:
    assert traded(found, 100.0, (), Context()) == traded(found, 100.0, found.profiles, Context())
