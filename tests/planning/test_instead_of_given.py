"""What a plan would take instead of a fleet that was given and does not hold."""

from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer
from fleettui.domain.remedy import INSTEAD
from fleettui.domain.slo import Slo
from fleettui.planning.make_plan import make_plan
from fleettui.planning.simulate import simulate
from fleettui.reports.plan_text import plan_text
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace

pytestmark = pytest.mark.looks


def instead(answer: Answer) -> list[str]:
    return [reason for reason in answer.why if reason.startswith(INSTEAD)]


async def test_a_fleet_that_fails_is_told_what_a_plan_would_take(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """Found: 16 H100 are short by 4 like them, for $59/h, where a plan takes 6 B200 for $31.50/h."""
    asked = question(trace(tmp_path), gpus=(), tp=(), demand=Demand(form="rate", rate=15.0), slo=Slo(ttft=0.25))
    answer = await simulate(sketch(4, tp=4), asked, store=store, pool=workers)
    assert answer.verdict == "fail"
    (told,) = instead(answer)
    plan = (await make_plan(asked, store=store, pool=workers)).answer
    assert plan is not None
    (pool,) = plan.fleet.pools
    assert told.startswith(f"{INSTEAD}{pool.gpu.upper()} tp")
    cost = f"${plan.cost_per_hour:.2f}/h, ${47.2 - plan.cost_per_hour:.2f}/h less"
    assert told.endswith(f" would do, as simulated: {cost}; fleettui plan proves it")
    assert store.plan("last~1").why == answer.why, "it is kept"
    page = plan_text(answer, asked)
    assert f"\ninstead {pool.gpu.upper()} tp" in page
    assert page.count("would do, as simulated") == 1, "it is no reason once more"


async def test_nothing_is_told_of_a_fleet_that_holds(store: Store, workers: Watched, tmp_path: Path) -> None:
    asked = question(trace(tmp_path), gpus=(), tp=())
    workers.asked.clear()
    answer = await simulate(sketch(4), asked, store=store, pool=workers)
    assert answer.verdict == "pass"
    assert instead(answer) == []
    assert "usual_gpus" not in workers.asked
