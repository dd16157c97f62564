"""The schedulers beside each other on a small kept plan's fleet."""

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.planning import scheduler_trials
from fleettui.planning.simulate import simulate
from fleettui.planning.studies.study_context import make
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace
from tests.planning.studies.conftest import StudyOf


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


async def test_what_cannot_serve_the_plan_is_left_out_and_refused_where_it_is_named(study_of: StudyOf) -> None:
    with pytest.raises(InputError, match="preempt those of class batch"):
        await study_of("scheduler", "only priority", replicas=(2,))
    with pytest.raises(InputError, match="no other is asked for"):
        await study_of("scheduler", "only paged", replicas=(2,))


async def test_another_scheduler_is_played_beside_the_plans_own(study_of: StudyOf) -> None:
    best, study = await study_of("scheduler", "only shortest", replicas=(2,))
    assert best.simulation is not None
    assert [row["scheduler"] for row in study.tables[0].records()] == ["paged", "shortest"]
    assert study.question.endswith(" --only shortest")
