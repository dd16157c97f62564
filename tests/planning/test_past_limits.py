"""A limit on the fleet that an answer keeps as simulated leaves it the answer, whatever the formulas say."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.meter import feed
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.remedy import has_constraints, is_constrained
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.make_plan import make_plan
from fleettui.planning.rerun import rerun
from store import Store
from tests.planning.simulated import Watched, question, sizes, trace, tried

pytestmark = [pytest.mark.looks, pytest.mark.own_workers]


def used(best: Candidate, asked: Question) -> dict[str, float]:
    """Return what a fleet takes of every constraint, by the field that limits it."""
    return {
        "budget": best.cost_per_hour,
        "max_total_gpus": best.gpus,
        "max_power": best.power,
        "max_feed": feed(asked, best.power, best.gpus),
    }


def limited(asked: Question, name: str, most: float) -> Question:
    """Return the question with one more limit, GPUs in whole ones."""
    limit: dict[str, Any] = {name: math.floor(most + 1e-9) if name == "max_total_gpus" else most}
    return replace(asked, **limit)


def told(plan: Answer) -> tuple[Any, ...]:
    """Return what a plan came to: its verdict, its fleet, and what that is seen to take of its limits."""
    assert plan.answer is not None
    assert plan.answer.evidence is not None
    return plan.verdict, plan.answer.fleet, plan.answer.cost_per_hour, plan.answer.evidence.pools


@pytest.fixture
def eight(tmp_path: Path) -> Question:
    """Ask for what takes nine replicas by formula and eight as simulated."""
    return question(trace(tmp_path), demand=Demand(form="rate", rate=70.0))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("budget", marks=pytest.mark.thorough),
        pytest.param("max_total_gpus", marks=pytest.mark.thorough),
        pytest.param("max_power", marks=pytest.mark.thorough),
        pytest.param("max_feed", marks=pytest.mark.thorough),
    ],
)
async def test_a_limit_that_the_answer_keeps_leaves_it_the_answer(
    store: Store, workers: Watched, eight: Question, name: str
) -> None:
    """Found: without a budget $188.80/h held, and with a budget of that no fleet did."""
    free = await make_plan(eight, store=store, pool=workers)
    assert free.answer is not None
    assert sizes(free.answer) == (8,)
    least = used(free.answer, eight)[name]
    by_formula = await make_plan(replace(limited(eight, name, least), verify=False), store=store, pool=workers)
    assert by_formula.verdict == "infeasible"
    for share in (1.0, 1.06, 2.0):
        asked = limited(eight, name, share * least)
        assert told(await make_plan(asked, store=store, pool=workers)) == told(free), share


async def test_a_limit_that_no_fleet_keeps_is_infeasible_with_what_would_do(
    store: Store, workers: Watched, eight: Question
) -> None:
    """What was simulated past the limit is what is told to do, and is not simulated again."""
    asked = replace(eight, budget=7.5 * 8 * 2.95)
    plan = await make_plan(asked, store=store, pool=workers)
    assert (plan.verdict, plan.answer) == ("infeasible", None)
    assert plan.why[:1] == ("a budget of $188.80/h would do, as simulated (H100 tp8 x8)",)
    assert {sizes(one) for one in tried(plan)} >= {(7,), (8,)}
    assert workers.asked.count("kept_answer-plan") == 0
    same = await rerun(store, plan.plan.handle, pool=workers)
    assert (same.again.verdict, same.again.why) == (plan.verdict, plan.why)
    kept = FinishedPlan.get(store, plan.plan.id)
    assert (kept.formula, kept.then.verdict, kept.then.gpus) == (None, "infeasible", None)


async def test_a_plan_past_its_limits_is_run_again_to_the_same(store: Store, workers: Watched, eight: Question) -> None:
    plan = await make_plan(replace(eight, budget=200.0), store=store, pool=workers)
    assert plan.verdict == "pass"
    same = await rerun(store, plan.plan.handle, pool=workers)
    assert told(same.again) == told(plan)
    kept = FinishedPlan.get(store, plan.plan.id)
    assert (kept.formula, kept.then.verdict) == (None, "infeasible")


async def test_what_the_utilization_limit_rules_out_is_not_simulated(
    store: Store, workers: Watched, eight: Question
) -> None:
    """Half of what the least sizes take is not worth a simulation past the limit."""
    plan = await make_plan(replace(eight, max_total_gpus=16), store=store, pool=workers)
    assert plan.verdict == "infeasible"
    assert not tried(plan)


async def test_only_constraints_of_an_open_loop_are_looked_past(
    store: Store, workers: Watched, eight: Question
) -> None:
    assert not has_constraints(eight)
    assert has_constraints(replace(eight, max_gpus=(("h100", 8),)))
    assert not has_constraints(replace(eight, budget=1.0, demand=Demand(form="concurrency", concurrency=8)))
    floor = replace(eight, slo=Slo(ttft=1e-4), verify=False)
    nothing = await make_plan(floor, store=store, pool=workers)
    assert not is_constrained(nothing, floor)


@pytest.mark.thorough
async def test_more_gpus_are_no_dearer(store: Store, workers: Watched, eight: Question) -> None:
    """Found: 22 GPUs at $85.90/h where 22 were allowed, 21 at $84.00/h where no fleet of so many was by formula."""
    asked = replace(eight, gpus=("h100", "b200"), prices=(("b200", 8.5),), max_total_gpus=70)
    plan = await make_plan(asked, store=store, pool=workers)
    assert plan.answer is not None
    assert (plan.verdict, plan.answer.cost_per_hour) == ("pass", pytest.approx(188.8))
    within = [one for one in tried(plan) if {pool.gpu for pool in one.fleet.pools} == {"b200"}]
    assert [one.cost_per_hour > plan.answer.cost_per_hour for one in within if one.may_hold] == [True]
    same = await rerun(store, plan.plan.handle, pool=workers)
    assert told(same.again) == told(plan)


@pytest.mark.thorough
async def test_budgets_that_two_makes_of_fleet_keep_leave_the_answer(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """Found: $42.56/h held, and with a budget of $42.57/h, by formula kept by others, which failed, none did."""
    asked = question(trace(tmp_path), tp=(), pools=(1, 2), slo=Slo(ttft=0.45), gpus=("h100", "l40s"))
    free = await make_plan(asked, store=store, pool=workers)
    assert free.answer is not None
    least = free.answer.cost_per_hour
    for budget in (least + 0.01, 45.0):
        assert told(await make_plan(replace(asked, budget=budget), store=store, pool=workers)) == told(free), budget
    short = await make_plan(replace(asked, budget=least - 0.01), store=store, pool=workers)
    assert (short.verdict, short.answer) == ("infeasible", None)
    assert short.why[0].startswith(f"a budget of ${least:.2f}/h would do, as simulated")


@pytest.mark.thorough
async def test_what_would_do_comes_as_near_to_the_limit_as_the_fleets_within_it(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """The cheapest fleet past a limit on GPUs takes more of them than one that was tried within it."""
    asked = question(trace(tmp_path), tp=(), pools=(1, 2), slo=Slo(ttft=0.45), gpus=("h100", "l40s"), max_total_gpus=15)
    plan = await make_plan(asked, store=store, pool=workers)
    assert (plan.verdict, plan.answer) == ("infeasible", None)
    assert plan.why[0].startswith("16 GPUs would do")
