"""A joint question held to a kept joint plan: it holds until a workload, the stock or a price is another."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.joint import Entry, JointQuestion, SharedLimits
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.planning.check_joint import check_joint
from fleettui.planning.export import export
from fleettui.planning.joint_moved import fails_of_each, moved_of_each
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.report import report_plan
from fleettui.planning.worker_pool import WorkerPool
from fleettui.reports.findings import BASELINE_FLEET
from fleettui.reports.joint_check import total_of
from store import Store
from tests.planning.simulated import OPTIMISTIC, SHIPPED, question, trace
from tests.store import samples

LARGE = Entry(name="large", question=replace(SHIPPED, name="two/large"))
SMALL = Entry(name="small", question=replace(SHIPPED, name="two/small", model="llama-3.1-8b", tp=(1,)))
ASKED = JointQuestion(name="two", entries=(LARGE, SMALL), limits=SharedLimits(max_gpus=(("h100", 100),)), verify=False)


def busier(rate: float) -> JointQuestion:
    """Return the question with another rate of its small workload."""
    more = replace(SMALL, question=replace(SMALL.question, demand=Demand(form="rate", rate=rate)))
    return replace(ASKED, entries=(LARGE, more))


@pytest.mark.thorough
async def test_it_holds_until_a_workload_asks_for_more(store: Store, workers: WorkerPool) -> None:
    first = await check_joint(ASKED, store=store, pool=workers)
    assert first.holds
    assert first.against is None
    kept = first.study.handle
    again = await check_joint(ASKED, store=store, against=kept, max_cost=10_000.0, pool=workers)
    assert (again.holds, again.changes) == (True, ())
    more = await check_joint(busier(400.0), store=store, against=kept, pool=workers)
    assert not more.holds
    assert more.broken[0].startswith("it needs more GPUs: ")
    assert [words.partition(":")[0] for words in more.broken[2:]] == ["small", "small"]
    assert more.changes == ("small: rate: 100/s -> 400/s",)
    less = await check_joint(busier(50.0), store=store, against=more.study.handle, pool=workers)
    assert (less.holds, less.changes) == (True, ("small: rate: 400/s -> 50/s",))


async def test_a_workload_whose_fleet_of_then_fails_now_is_named(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    """Found: "holds" of a plan that costs as much, though what was decided fails and another fleet is the answer."""
    asked = question(trace(tmp_path), name="two/short")
    alone = JointQuestion(name="two", entries=(Entry(name="short", question=asked),))
    first = await check_joint(alone, store=store, pool=workers)
    again = await check_joint(alone, store=store, against=first.study.handle, pool=workers)
    assert (again.holds, again.moved) == (True, ())
    own = first.plan.planned[0].plan
    assert own is not None
    failed = next(one for one in own.candidates if one.simulation is not None and one.simulation.verdict == "fail")
    then, now = [("short", failed.fleet, "joint.json")], {"short": KeptPlan.of(store, own.plan.id)}
    ((name, moved),) = moved_of_each(then, now)
    assert list(fails_of_each(then, now)) == [f"short: {moved.text}"]
    assert "of joint.json fails" in moved.text
    found = replace(first, moved=((name, moved),))
    assert not found.holds
    assert found.broken[-1].startswith("short: the fleet is now ")
    assert found.findings[-1].code == BASELINE_FLEET
    assert found.json()["moved"]["short"]["verdict"] == "fail"
    unknown = replace(first, moved=((name, replace(moved, verdict=None)),))
    assert unknown.holds
    assert "! short: the fleet is now " in unknown.text()
    assert "was not simulated here" in unknown.markdown()


async def test_names_stay_with_the_plans_that_bear_them(store: Store, workers: WorkerPool, tmp_path: Path) -> None:
    asked = question(trace(tmp_path), name="two/short", verify=False)
    alone = JointQuestion(name="two", entries=(Entry(name="short", question=asked),), verify=False)
    first = await check_joint(alone, store=store, pool=workers)
    again = await check_joint(alone, store=store, against=first.study.handle, pool=workers)
    own = first.plan.planned[0].plan
    assert own is not None
    assert store.row("two/short").id == own.plan.id
    assert (again.holds, again.changes) == (True, ())


@pytest.mark.thorough
async def test_a_stock_that_shrank_and_a_maximum_are_the_reasons(store: Store, workers: WorkerPool) -> None:
    kept = (await check_joint(ASKED, store=store, pool=workers)).study.handle
    short = replace(ASKED, limits=SharedLimits(max_gpus=(("h100", 2),)))
    found = await check_joint(short, store=store, against=kept, pool=workers)
    assert not found.holds
    assert "no combination" in found.broken[0]
    assert "stock of H100 2" in found.changes[0]
    dear = await check_joint(ASKED, store=store, max_cost=1.0, pool=workers)
    assert "above the maximum of $1.00/h" in dear.broken[0]


async def test_what_is_no_joint_plan_is_refused_before_any_work(store: Store, workers: WorkerPool) -> None:
    plan = samples.add(store).plan
    with pytest.raises(InputError, match="this is none"):
        await check_joint(ASKED, store=store, against=plan.handle, pool=workers)
    assert store.count() == 1


async def test_a_check_by_formula_is_held_to_the_formula_of_a_simulated_plan(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    """The simulation found that what the formulas size is not enough, so its count would hide that more is needed."""
    asked = question(trace(tmp_path), name="short", **OPTIMISTIC)
    alone = JointQuestion(name="short", entries=(Entry(name="short", question=asked),))
    first = await check_joint(alone, store=store, pool=workers)
    kept = first.study.handle
    same = await check_joint(replace(alone, verify=False), store=store, against=kept, pool=workers)
    assert same.holds
    assert same.formula is not None
    assert same.formula[0] == same.formula[1]
    assert same.formula[0].paid is None
    assert same.note.startswith("held to each other by formula: only the stored one is simulated, to ")
    proven = first.plan.planned[0].plan
    assert proven is not None
    assert proven.answer is not None
    assert proven.answer.gpus > same.formula[0].fleets["short"][0]


async def test_in_whole_nodes_a_check_by_formula_compares_what_is_paid_for(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    """Found: $2.85/h more was told where a second node, $7.60/h, is paid for."""
    asked = question(trace(tmp_path), name="short", tp=(2,), slo=Slo(ttft=0.91))
    limits = SharedLimits(whole_nodes=True)
    alone = JointQuestion(name="short", entries=(Entry(name="short", question=asked),), limits=limits)
    kept = await check_joint(alone, store=store, pool=workers)
    more = Entry(name="short", question=replace(asked, demand=Demand(form="rate", rate=80.0)))
    found = await check_joint(
        replace(alone, entries=(more,), verify=False), store=store, against=kept.study.handle, pool=workers
    )
    assert found.formula is not None
    before, after = (one.total for one in found.formula)
    used = [sum(gpus for gpus, _ in one.fleets.values()) for one in found.formula]
    assert before == total_of(kept.study)
    assert after == total_of(found.study)
    assert before is not None
    assert after is not None
    assert (before[0] % 8, after[0] % 8) == (0, 0)
    assert used[1] < after[0]
    assert found.broken[0] == f"it needs more GPUs: ~{before[0]} -> ~{after[0]}"


async def test_a_file_is_as_good_a_baseline_as_the_joint_plan_that_it_was_written_of(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    """Found: the file was taken for the name of a plan that is not there."""
    asked = question(trace(tmp_path), name="short", tp=(2,), slo=Slo(ttft=0.9))
    alone = JointQuestion(
        name="short", entries=(Entry(name="short", question=asked),), limits=SharedLimits(whole_nodes=True)
    )
    kept = (await check_joint(alone, store=store, pool=workers)).study
    file = tmp_path / "joint.json"
    file.write_text(export(store, kept.handle, "json"))
    more = Entry(name="short", question=replace(asked, demand=Demand(form="rate", rate=80.0)))
    for now in (alone, replace(alone, verify=False), replace(alone, entries=(more,), verify=False)):
        found, same = [
            await check_joint(now, store=store, against=one, pool=workers) for one in (str(file), kept.handle)
        ]
        assert (found.holds, found.broken, found.formula, found.note) == (
            same.holds,
            same.broken,
            same.formula,
            same.note,
        )
        assert found.changes == same.changes
        assert [(name, replace(one, called=kept.handle)) for name, one in found.moved] == [
            (name, replace(one, called=kept.handle)) for name, one in same.moved
        ]
        assert str(file) in found.text(1_000)
        assert found.json()["against"] == str(file)
        pages = [report_plan(store, found.study.handle, one) for one in (str(file), kept.handle)]
        beside = [[one for one in page.sections if one.title == "Then and now"] for page in pages]
        assert beside[0][0].tables == beside[1][0].tables
        assert beside[0][0].sentences[0] == beside[1][0].sentences[0]
    assert found.moved, "what takes twice the demand is another fleet"
