"""The routers beside each other on a small kept plan's fleet."""

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.planning import router_trials
from fleettui.planning.simulate import simulate
from fleettui.planning.studies.study_context import make
from fleettui.routing import ROUTERS
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_every_router_meets_the_same_requests(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(router_trials, "LEAST_RUNS", 4)
    monkeypatch.setattr(router_trials, "MOST_REQUESTS", 0)
    plan = await simulate(sketch(3), question(trace(tmp_path), verify=False), store=store, pool=workers)
    study = await make("routers", store, pool=workers, plan="last")
    assert (study.kind, study.plan, store.study(study.handle)) == ("routers", plan.plan.id, study)
    ttft, _, fleets = (table.records() for table in study.tables)
    assert [row["router"] for row in ttft] == [*ROUTERS.names]
    by_name = {str(row["router"]): row for row in ttft}
    assert by_name["length"]["it_is"] == "the plan's"
    assert by_name["random"]["it_is"] == "slower"
    assert {row["proof"] for row in fleets} <= {"formula", ""}


async def test_one_replica_leaves_no_choice(store: Store, workers: Watched, tmp_path: Path) -> None:
    await simulate(sketch(1), question(trace(tmp_path), verify=False), store=store, pool=workers)
    with pytest.raises(InputError, match="every router does the same"):
        await make("routers", store, pool=workers, plan="last")
