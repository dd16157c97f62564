"""A check against a kept plan whose catalogue, engine or proof was another."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.plan_inputs import Size
from fleettui.domain.slo import Slo
from fleettui.planning.check import check
from fleettui.planning.given_again import judged
from fleettui.planning.kept_inputs import FinishedPlan
from fleettui.planning.make_plan import make_plan
from fleettui.planning.plan_files import kept_json
from fleettui.planning.seen_alike import NOT_KEPT
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.planning.simulated import OPTIMISTIC, question, trace
from tests.store import samples


def kept_as(store: Store, plan: Answer, price: float | None = None, **changes: Any) -> Answer:
    """Keep the newest plan once more as with GPUs of another price, or its scenario changed."""
    scenario = store.scenario("last")
    profiles = tuple(store.profile(key) for key in scenario.profiles)
    if price is not None:
        profiles = tuple(replace(one, price_per_hour=price) for one in profiles)
        assert plan.answer is not None
        cheap = replace(plan.answer, cost_per_hour=price * plan.answer.gpus)
        plan = replace(plan, answer=cheap, candidates=(cheap,))
    return store.add_plan(
        NewPlan(
            answer=plan,
            scenario=replace(scenario, profiles=tuple(store.put_profile(one) for one in profiles), **changes),
            provenance=samples.provenance(),
            workload=store.workload(scenario.workload),
            profiles=profiles,
        )
    )


async def test_a_price_and_an_engine_that_changed_are_named(store: Store, workers: WorkerPool, tmp_path: Path) -> None:
    asked = question(trace(tmp_path), verify=False)
    plan = await make_plan(asked, store=store, pool=workers)
    cheap = kept_as(store, plan, price=1.0, engine_version=1)
    found = await check(asked, store=store, against=cheap.plan.handle, pool=workers)
    assert not found.holds
    assert [change.kind for change in found.changes] == ["price", "engine"]
    assert found.changes[0].before == "$1.00/h"
    assert "it costs $" in found.broken[0]
    dear = kept_as(store, plan, price=9.0)
    found = await check(asked, store=store, against=dear.plan.handle, pool=workers)
    assert found.holds
    assert [change.kind for change in found.changes] == ["price"]


async def test_a_baseline_of_another_fleet_is_named_beside_what_holds(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), verify=False)
    plan = await make_plan(asked, store=store, pool=workers)
    assert plan.answer is not None
    fleet = plan.answer.fleet
    more = replace(fleet, pools=tuple(replace(pool, replicas=pool.replicas + 1) for pool in fleet.pools))
    larger = replace(plan.answer, fleet=more)
    kept = kept_as(store, replace(plan, answer=larger, candidates=(larger,)))
    found = await check(asked, store=store, against=kept.plan.handle, pool=workers)
    assert found.moved is not None
    assert (found.holds, found.moved.verdict) == (True, None)
    same = await check(asked, store=store, against=plan.plan.handle, pool=workers)
    assert same.moved is None


async def test_a_name_stays_with_the_plan_that_bears_it_whatever_a_check_is_held_to(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), verify=False, name="chat")
    plan = await make_plan(asked, store=store, pool=workers)
    alone = await check(asked, store=store, pool=workers)
    held = await check(asked, store=store, against=alone.answer.plan.handle, pool=workers)
    assert store.row("chat").id == plan.plan.id
    assert (alone.answer.plan.name, held.answer.plan.name) == ("", "")
    other = await check(replace(asked, name="new"), store=store, against="chat", pool=workers)
    assert store.row("new").id == other.answer.plan.id


async def test_a_simulated_count_is_never_held_to_a_formulas_count(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), **OPTIMISTIC)
    proven = await make_plan(asked, store=store, pool=workers)
    found = await check(replace(asked, verify=False), store=store, against="last", pool=workers)
    assert found.holds
    assert found.against is not None
    assert found.against.before is not None
    assert found.against.after is not None
    assert found.against.before.gpus == found.against.after.gpus
    assert proven.answer is not None
    assert found.against.note == (
        f"held to each other by formula: only the stored plan is simulated, to {proven.answer.gpus} GPUs at "
        f"${proven.answer.cost_per_hour:.2f}/h, where the new one's fleet fails"
    )
    assert not found.changes
    other = await check(replace(asked, verify=False, slo=Slo(ttft=0.156)), store=store, against="last~1", pool=workers)
    assert other.against is not None
    assert other.against.note.endswith("/h"), "another question was simulated"
    assert other.against.own == (Size.of(proven.answer), Size.of(other.answer.answer))
    assert proven.confidence is not None
    assert other.against.sure == found.against.sure == proven.confidence.holds
    assert other.json()["against"]["stored"] == {
        "gpus": proven.answer.gpus,
        "cost_per_hour": proven.answer.cost_per_hour,
        "method": "simulation",
    }, "what was kept, beside what formulas say of it"


async def test_a_plan_that_is_to_be_sure_is_held_by_formula_to_one_that_is_as_sure(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), slo=Slo(ttft=0.6), tp=(), confidence=0.9, gpus=("b200",))
    proven = await make_plan(asked, store=store, pool=workers)
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(kept_json(store, proven.plan.id)))
    nominal = await make_plan(replace(asked, verify=False, confidence=None), store=store, pool=workers)
    sure = await make_plan(replace(asked, verify=False), store=store, pool=workers)
    more = replace(asked, verify=False, demand=Demand(form="rate", rate=2.0 * sure.demand.rate))
    assert nominal.answer is not None
    assert sure.answer is not None
    assert sure.answer.gpus > nominal.answer.gpus
    for against in (proven.plan.handle, str(file)):
        same = await check(replace(asked, verify=False), store=store, against=against, pool=workers)
        assert same.holds
        other = await check(more, store=store, against=against, pool=workers)
        assert not other.holds
        for found in (same, other):
            assert found.against is not None
            assert found.against.before == Size.of(sure.answer)
            assert found.against.after == Size.of(found.answer.answer)
            assert found.against.note.startswith("held to each other by formula: only the stored plan is simulated")
    again = await check(asked, store=store, against=sure.plan.handle, pool=workers)
    assert again.against is not None
    assert again.against.before == again.against.after == Size.of(sure.answer)
    less = replace(asked, demand=Demand(form="rate", rate=0.5 * sure.demand.rate))
    fewer = await check(less, store=store, against=sure.plan.handle, pool=workers)
    assert fewer.against is not None
    expected = await make_plan(replace(less, verify=False), store=store, pool=workers)
    assert fewer.against.after == Size.of(expected.answer)


async def test_what_the_formulas_said_of_lengths_that_a_file_lacks_is_not_made_up(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), slo=Slo(ttft=0.6), tp=(), confidence=0.9, gpus=("b200",))
    proven = await make_plan(asked, store=store, pool=workers)
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(kept_json(store, proven.plan.id)))
    path = Path(trace(tmp_path))
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:90]))
    found = await check(replace(asked, verify=False), store=store, against=str(file), pool=workers)
    assert [one.kind for one in found.changes] == ["trace"]
    assert found.against is not None
    assert found.against.before == Size.of(proven.answer)
    assert found.against.note == NOT_KEPT


@pytest.mark.parametrize(
    ("more", "verdict", "why"), [(3, "pass", ""), (-2, "fail", "P99 TTFT "), (-4, "fail", "grows")]
)
async def test_a_baselines_fleet_that_no_search_simulated_is_simulated_for_itself_once(
    store: Store, workers: WorkerPool, tmp_path: Path, more: int, verdict: str, why: str
) -> None:
    """Found: "holds" of another fleet, where that of the baseline, not simulated, would not keep the limits."""
    asked = question(trace(tmp_path), demand=Demand(form="rate", rate=40.0), slo=Slo(ttft=0.2))
    plan = await make_plan(asked, store=store, pool=workers)
    assert plan.answer is not None
    fleet, steps = plan.answer.fleet, plan.answer.fleet.pools[0].profile
    old = replace(steps, base_step_time=2.0 * steps.base_step_time)
    pools = tuple(replace(pool, replicas=pool.replicas + more, profile=old) for pool in fleet.pools)
    other = replace(plan.answer, fleet=replace(fleet, pools=pools))
    kept = kept_as(store, replace(plan, answer=other, candidates=(other,), verdict="pass"))
    for _ in range(2):
        found = await check(asked, store=store, against=kept.plan.handle, pool=workers)
        assert found.moved is not None
        assert (found.moved.verdict, found.holds) == (verdict, verdict == "pass")
        assert why in found.moved.broken
    assert store.count() == 5, "two plans before, two checks, and the fleet of then once"
    less = await check(replace(asked, verify=False), store=store, against=kept.plan.handle, pool=workers)
    assert less.moved is None or less.moved.verdict is None


async def test_a_fleet_of_another_model_is_not_judged(store: Store, workers: WorkerPool, tmp_path: Path) -> None:
    asked = question(trace(tmp_path))
    await make_plan(asked, store=store, pool=workers)
    fleet = FinishedPlan.get(store, "last").answer.answer
    assert fleet is not None
    pools = tuple(replace(pool, model="qwen3-32b") for pool in fleet.fleet.pools)
    desk = StudyContext(store, workers)
    assert await judged(desk, replace(fleet.fleet, pools=pools), FinishedPlan.get(store, "last")) is None
    assert store.count() == 1
