"""The fewest GPUs on which fleets of an architecture hold a plan's need, over a small trace."""

from pathlib import Path

import pytest

from fleettui.domain.frontier import FrontierAsked, FrontierTried
from fleettui.domain.slo import Slo
from fleettui.planning import architecture_need
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies.frontier import on_one_gpu
from fleettui.planning.studies.study_context import StudyContext
from store import Store
from tests.planning.simulated import Watched, question, trace

LAYOUTS = ("tp4/tp4",)


@pytest.mark.thorough
async def test_the_need_is_the_fewest_steps_that_hold_and_is_simulated(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(architecture_need, "usual_layouts", lambda _: LAYOUTS)
    asked = question(trace(tmp_path), verify=False, slo=Slo(ttft=0.5))
    answer = await make_plan(asked, store=store, pool=workers)
    desk, kept = StudyContext(store, workers), KeptPlan.of(store, answer.plan.handle)
    need = await architecture_need.architecture_need(desk, kept, "afd", verify=True)
    point, proof = need.point, need.proof
    assert point is not None
    assert proof is not None
    assert (point.architecture, point.layout, proof.runs) == ("afd", "tp4/tp4", 5)
    assert point.ttft <= 0.5
    assert proof.point.gpus >= point.gpus
    assert proof.holds == ((proof.ttft.value or 0.0) <= 0.5)

    async def held(gpus: int) -> bool:
        source = on_one_gpu(kept, kept.fleet_for(""), need.gpu)
        fewer = FrontierAsked(gpu=need.gpu, gpus=gpus, layouts=LAYOUTS, only=("afd",))
        tried = await desk.run("frontier-points", FrontierTried, source=source, asked=fewer, rate=source.rate)
        assert all(one.architecture == "afd" for one in tried.points)
        return any(one.ttft <= 0.5 for one in tried.points)

    steps = -(-point.gpus // architecture_need.STEP)
    assert await held(steps * architecture_need.STEP)
    assert not await held((steps - 1) * architecture_need.STEP)
