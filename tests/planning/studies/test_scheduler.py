"""The schedulers beside each other on a small kept plan's fleet."""

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.planning import scheduler_trials
from fleettui.planning.simulate import simulate
from fleettui.planning.studies.study_context import make
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.evidence
async def test_every_scheduler_meets_the_same_requests(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler_trials, "LEAST_RUNS", 3)
    plan = await simulate(sketch(2), question(trace(tmp_path), verify=False), store=store, pool=workers)
    study = await make("scheduler", store, pool=workers, plan="last", only=("shortest", "h2q-br"))
    assert (study.kind, study.plan, store.study(study.handle)) == ("scheduler", plan.plan.id, study)
    mean = {str(row["scheduler"]): row for row in study.tables[0].records()}
    assert list(mean) == ["paged", "shortest", "h2q-br"]
    assert mean["paged"]["it_is"] == "the plan's"
    assert mean["paged"]["change"] is None
    assert float(str(mean["shortest"]["ttft_mean"])) > 0.0
    rate = [row["throughput"] for row in study.tables[4].records()]
    assert max(rate) < 1.2 * min(rate)  # type: ignore[type-var, operator]


async def test_what_cannot_serve_the_plan_is_left_out_and_refused_where_it_is_named(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    await simulate(sketch(2), question(trace(tmp_path), verify=False), store=store, pool=workers)
    with pytest.raises(InputError, match="preempt those of class batch"):
        await make("scheduler", store, pool=workers, plan="last", only=("priority",))
    with pytest.raises(InputError, match="no other is asked for"):
        await make("scheduler", store, pool=workers, plan="last", only=("paged",))
