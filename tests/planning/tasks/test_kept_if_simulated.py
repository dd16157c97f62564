"""What a plan by formula says of limits that no fleet keeps by formula."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.planning.make_plan import make_plan
from fleettui.planning.tasks.kept_if_simulated import MAY_KEEP
from store import Store
from tests.planning.simulated import Watched, question, trace


@pytest.mark.parametrize(("gpus", "may"), [(72, False), (64, True), (32, False)])
async def test_simulations_may_find_what_is_a_little_past_the_limits(
    store: Store, workers: Watched, tmp_path: Path, gpus: int, *, may: bool
) -> None:
    """Nine replicas hold by formula, eight as simulated; a fleet that is no larger than half of them is none."""
    asked = question(trace(tmp_path), demand=Demand(form="rate", rate=69.0), verify=False)
    plan = await make_plan(replace(asked, max_total_gpus=gpus), store=store, pool=workers)
    assert (plan.verdict == "infeasible") is (gpus < 72)
    assert (MAY_KEEP in plan.warnings) is may
