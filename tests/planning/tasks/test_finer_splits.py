"""Fleets that divide between the grid's points: only those that are told are scored again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.optimize.offers import NO_ANCHORS
from fleettui.planning.finer_splits import MOST
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import finer_splits
from fleettui.planning.tasks.plan import run as plan
from fleettui.planning.tasks.simulation_inputs import Scene, scene_of
from fleettui.planning.worth import cost


def test_only_fleets_that_are_told_are_scored_again(monkeypatch: pytest.MonkeyPatch) -> None:
    question = Question(
        workload="azure-2023-conv",
        demand=Demand(form="rate", rate=40.0),
        slo=Slo(ttft=0.5),
        model="llama-3.1-8b",
        gpus=("a100", "h100"),
        pools=(2,),
    )
    answered = plan(Context(), question=replace(question, verify=False))
    demand = DerivedDemand(rate=40.0, arithmetic="", pairing="joint")
    source = SceneSource.of(question, answered.workload, demand, "tasks/test_finer_splits", answered.profiles)
    scene = scene_of(source)
    near = answered.answer.candidates[:3]
    holding = finer_splits.divided_near(scene, near, NO_ANCHORS)
    most = sorted(map(cost, holding))[len(holding) // 2]
    better = finer_splits.divided_near(scene, near, NO_ANCHORS, most)
    assert better == [one for one in holding if cost(one) < most]
    scored: list[Candidate] = []
    by_formula = finer_splits._by_formula

    def noted(one: Candidate, where: Scene) -> Candidate:
        scored.append(one)
        return by_formula(one, where)

    monkeypatch.setattr(finer_splits, "_by_formula", noted)
    tried = replace(answered.answer, candidates=tuple(better[:1]))
    found = finer_splits.run(Context(), source=source, shown=tried, near=near, most=most)
    assert scored == better[1 : 1 + MOST]
    assert [one.fleet for one in found] == [one.fleet for one in scored]
