"""What to measure next for a kept plan: five runs at most, and refusals in words."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.next_points import MOST_POINTS, _most, next_points
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.planning.simulated import question, trace
from tests.reports.test_next_points_text import ANSWER, LOADED, RIVAL
from tests.store import samples


async def test_a_kept_plan_has_runs_of_its_answers_hardware(store: Store, workers: WorkerPool, tmp_path: Path) -> None:
    asked = question(trace(tmp_path), slo=Slo(ttft=0.3), verify=False)
    plan = await make_plan(asked, store=store, pool=workers)
    found = await next_points(store, "last", pool=workers)
    assert plan.answer is not None
    assert (found.plan, found.step_law) == (plan.plan, "roofline")
    assert found.prospects[0].is_answer
    assert found.prospects[0].replica_key in {pool.replica_key for pool in plan.answer.fleet.pools}
    assert 2 <= sum(len(one.points) for one in found.prospects) <= MOST_POINTS
    assert all(one.narrowed > 0 for one in found.prospects)


@pytest.mark.thorough
async def test_a_simulated_plans_range_is_the_one_that_the_plan_tells(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    """Found: 8 to 24 GPUs by formula beside the plan's own 8 to 32, as its simulations correct it."""
    plan = await make_plan(question(trace(tmp_path), slo=Slo(ttft=0.18)), store=store, pool=workers)
    kept = store.plan(plan.plan.id)
    assert kept.answer is not None
    assert kept.confidence is not None
    found = await next_points(store, "last", pool=workers)
    assert found.prospects[0].gpus_range == kept.confidence.span == kept.answer.gpus_range


async def test_what_has_no_answer_is_refused(store: Store, workers: WorkerPool, tmp_path: Path) -> None:
    await make_plan(question(trace(tmp_path), slo=Slo(ttft=0.001), verify=False), store=store, pool=workers)
    with pytest.raises(InputError, match="it has no fleet whose hardware could be measured"):
        await next_points(store, "last", pool=workers)
    samples.begin(store)
    with pytest.raises(InputError, match="it is not finished"):
        await next_points(store, "last", pool=workers)


async def test_as_many_servers_as_make_five_runs() -> None:
    three = replace(ANSWER, points=(LOADED, LOADED, LOADED))
    assert list(_most((three, RIVAL, RIVAL))) == [three, RIVAL]
    assert list(_most((three, three, RIVAL))) == [three, RIVAL]
    assert list(_most((replace(ANSWER, narrowed=0.0), RIVAL))) == [RIVAL]
    unseen = replace(ANSWER, narrowed=0.0, unseen=("prompts",))
    assert list(_most((unseen, RIVAL))) == [unseen, RIVAL]
