"""What a question's own fit has seen is searched alone, and is made to hold for other divisions of the same GPUs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.hardware import Profile
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import decode
from fleettui.domain.slo import Slo
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import fitted, plan
from tests.own_fits import FIT, SERVER, values

ASKED = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=20.0),
    slo=Slo(ttft=0.5),
    **values(gpus=("h100", "h200"), tp=(4, 8), pools=(1,)),
)


@pytest.fixture(scope="module")
def made() -> NewPlan:
    return plan.run(Context(), question=ASKED)


def source(made: NewPlan, **changes: Any) -> SceneSource:
    key = f"fitted {changes}"
    return SceneSource.of(replace(ASKED, **changes), made.workload, made.answer.demand, key, made.profiles)


def test_fleets_are_of_what_was_seen_alone_the_best_first(made: NewPlan) -> None:
    found = fitted.fleets(Context(), source=source(made), answer=made.answer)
    assert {(pool.gpu, pool.tp) for one in found for pool in one.fleet.pools} == {("h100", 4)}
    assert [one.cost_per_hour for one in found] == sorted(one.cost_per_hour for one in found)
    sure = fitted.fleets(Context(), source=source(made, confidence=0.9), answer=made.answer)
    assert sure[0].gpus > found[0].gpus, "as sure as is wished"
    other = replace(FIT, servers=(replace(SERVER, gpu="a100"),))
    assert fitted.fleets(Context(), source=source(made, fit=other), answer=made.answer) == []


def test_a_fit_is_made_to_hold_for_other_divisions_of_its_gpus_alone(made: NewPlan) -> None:
    (wider,) = fitted.wider(Context(), source=source(made))
    assert wider.question.fit is not None
    assert [(one.gpu, one.tp, one.terms) for one in wider.question.fit.servers] == [
        ("h100", tp, SERVER.terms) for tp in (4, 8)
    ]
    before, after = (
        {(one.gpu, one.tp): one for one in decode(tuple[Profile, ...], text)}
        for text in (source(made).profiles, wider.profiles)
    )
    own = before["h100", 8].step, after["h100", 8].step
    assert own[1].overhead == pytest.approx(1.2 * own[0].overhead + 0.002)
    kept = [key for key in before if key != ("h100", 8)]
    assert [before[key] for key in kept] == [after[key] for key in kept]
    assert fitted.wider(Context(), source=wider) == [], "all of its GPUs were seen"


def test_of_several_the_nearest_division_counts(made: NewPlan) -> None:
    fit = replace(FIT, servers=(SERVER, replace(SERVER, tp=1, factor=2.0)))
    (wider,) = fitted.wider(Context(), source=source(made, fit=fit))
    assert wider.question.fit is not None
    assert wider.question.fit.servers[2].factor == SERVER.factor


def test_a_replica_that_would_be_faster_than_it_can_be_makes_no_wider_fit(made: NewPlan) -> None:
    fast = replace(FIT, servers=(replace(SERVER, factor=0.01, constant=0.0),))
    assert fitted.wider(Context(), source=source(made, fit=fast)) == []
