"""Fleets of several pools that are sized for a wished share of the cases, and divide where that takes least."""

from dataclasses import replace
from pathlib import Path

from fleettui.domain.demand import Demand
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.surest_rate import NEARLY
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import confidence, plan, surer_splits
from fleettui.planning.tasks.simulation_inputs import scene_of

SHARE = 0.9
ASKED = Question(
    workload="azure-2023-code",
    demand=Demand(form="rate", rate=20.0),
    slo=Slo(ttft=2.0, tpot=0.05),
    model="qwen3-32b",
    dtype="fp8",
    gpus=("h100", "b200"),
    tp=(1,),
    confidence=SHARE,
    verify=False,
)


def test_pools_are_sized_and_divided_for_the_wished_share_or_nearly_that(tmp_path: Path) -> None:
    new = plan.run(Context(), question=ASKED)
    source = SceneSource.of(ASKED, new.workload, new.answer.demand, str(tmp_path), new.profiles)

    def found(most: float, source: SceneSource = source) -> list[Candidate]:
        return surer_splits.run(Context(), source=source, tried=[], looks=[], share=SHARE, most=most)

    fleets = found(60.0)
    costs = [one.cost_per_hour for one in fleets]
    assert costs == sorted(costs)
    assert costs[-1] < 60.0
    kinds = [tuple(pool.replica_key for pool in one.fleet.pools) for one in fleets]
    assert len({*kinds}) == len(kinds) > 1, "one of each replicas"
    assert {len(one) for one in kinds} == {2}
    scene, known = scene_of(source), confidence.known_by({})
    for one in fleets:
        own = tuple(pool.replicas for pool in one.fleet.pools)
        least, most = (confidence.sized(scene, one.fleet, known(one.fleet), at) for at in (SHARE - NEARLY, SHARE))
        assert least is not None
        assert most is not None
        assert all(low <= size <= high for low, size, high in zip(least, own, most, strict=True))
    assert found(0.5 * costs[0]) == []
    alone = replace(source, key=f"{tmp_path} alone", question=replace(ASKED, pools=(1,)))
    assert found(60.0, alone) == []
