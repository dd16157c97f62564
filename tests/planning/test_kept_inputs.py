"""What the store holds of a plan is what the formulas said of it, whatever a simulation or a joint plan did since."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.slo import Slo
from fleettui.domain.study import Study, StudyColumn, StudyTable
from fleettui.errors import InputError
from fleettui.planning.check import check
from fleettui.planning.kept_inputs import FinishedPlan, chosen_together, formula_again, verdict_of
from fleettui.planning.make_plan import make_plan
from fleettui.planning.rerun import rerun
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.planning.simulated import question, sizes, trace

MOVED = Slo(ttft=0.18)
"""A limit for which the simulation needs another replica than the formula."""


@pytest.mark.evidence
async def test_the_formulas_fleet_is_that_of_a_plan_without_proof(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), slo=MOVED)
    proven = await make_plan(asked, store=store, pool=workers)
    plain = await make_plan(replace(asked, verify=False), store=store, pool=workers)
    kept = FinishedPlan.get(store, proven.plan.id)
    assert sizes(kept.formula) == sizes(plain.answer) != sizes(proven.answer)
    assert kept.then == FinishedPlan.get(store, plain.plan.id).then
    assert not kept.given
    again = await formula_again(kept, workers)
    assert sizes(again.answer.answer) == sizes(plain.answer)


@pytest.mark.evidence
async def test_the_formulas_fleet_is_none_that_they_set_aside(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    gpus = ("h100", "mi300x")  # kernels of the latter are not measured
    asked = question(trace(tmp_path), gpus=gpus, step_law="kernels", slo=Slo(ttft=0.5))
    proven = await make_plan(asked, store=store, pool=workers)
    assert proven.answer is not None
    cheapest = proven.candidates[0]
    assert [one.gpu for one in cheapest.fleet.pools] == ["mi300x"]
    assert not cheapest.shortfalls
    assert cheapest.cost_per_hour < proven.answer.cost_per_hour
    found = await check(replace(asked, verify=False), store=store, against=proven.plan.handle, pool=workers)
    assert found.holds
    assert found.against is not None
    assert found.against.before == found.against.after
    kept = FinishedPlan.get(store, proven.plan.id)
    assert kept.then == FinishedPlan.get(store, found.answer.plan.id).then


async def test_a_fleet_is_judged_by_its_own_figures(store: Store, workers: WorkerPool, tmp_path: Path) -> None:
    plan = await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    assert plan.answer is not None
    asked = question("x")
    assert verdict_of(plan.answer, asked) == "pass"
    assert verdict_of(replace(plan.answer, shortfalls=("too dear",)), asked) == "fail"
    assert verdict_of(plan.answer, replace(asked, slo=replace(asked.slo, ttft=0.01))) == "fail"
    assert verdict_of(plan.answer, replace(asked, max_utilization=0.01)) == "fail"


async def test_a_plan_that_was_chosen_together_with_others_is_not_run_again_alone(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    plan = await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    assert not chosen_together(store)
    table = StudyTable(title="Fleets", columns=(StudyColumn(name="plan"),), rows=((plan.plan.handle,),))
    store.add_study(Study(kind="joint", title="two", question="plan -f", tables=(table,)))
    assert chosen_together(store) == {plan.plan.handle}
    assert FinishedPlan.get(store, plan.plan.handle).given
    with pytest.raises(InputError, match="chosen together"):
        await rerun(store, plan.plan.handle, pool=workers)
