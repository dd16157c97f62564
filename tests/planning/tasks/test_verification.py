from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.fleet import Fleet
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Candidate, Evidence
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import dumps
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.domain.slo import Slo
from fleettui.errors import Interrupted
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import run as plan
from fleettui.planning.tasks.simulation_inputs import Scene
from fleettui.planning.tasks.verification import judge, replicate, stage
from fleettui.simulation.statistics import LEAST

FEW = (PoolLength(warm_up=200, measured=800, relaxation=0.1),)


@pytest.fixture(scope="module")
def answered() -> NewPlan:
    """What the planner finds for 20 requests/s of the Azure conversations, on H100s in eights."""
    return plan(Context(), question=_question())


@pytest.fixture
def source(answered: NewPlan) -> SceneSource:
    demand = DerivedDemand(rate=20.0, arithmetic="", pairing="joint")
    return SceneSource.of(_question(), answered.workload, demand, "tasks/test_simulation")


@pytest.fixture
def fleet(answered: NewPlan) -> Fleet:
    return _best(answered).fleet


def _best(answered: NewPlan) -> Candidate:
    assert answered.answer.answer is not None
    return answered.answer.answer


def _question() -> Question:
    return Question(
        workload="azure-2023-conv",
        demand=Demand(form="rate", rate=20.0),
        slo=Slo(ttft=0.5),
        gpus=("h100",),
        tp=(8,),
        pools=(1,),
        max_num_seqs=256,
        token_budget=2048,
        front_end=0.0,
        step_law="roofline",
    )


def _asking(source: SceneSource, key: str, **changes: Any) -> SceneSource:
    """Return the scene of another question."""
    return replace(source, key=key, question=replace(_question(), **changes))


def _run(source: SceneSource, fleet: Fleet, index: int = 0, seed: int = 1) -> Replication:
    return replicate(Context(), source=source, fleet=fleet, lengths=FEW, seed=seed, index=index)


def _judge(
    source: SceneSource, *runs: Replication, look: bool = False, precision: float = 0.2, unstable: str = ""
) -> tuple[Evidence | None, int]:
    return judge(
        Context(),
        source=source,
        replications=runs,
        precision=precision,
        seed=1,
        unstable=unstable,
        look=look,
        brief=False,
    )


def test_a_stage_is_the_fleet_at_other_sizes_with_its_lengths(
    source: SceneSource, fleet: Fleet, answered: NewPlan
) -> None:
    found = stage(Context(), source=source, fleet=fleet, sizes=(4,))
    own = _best(answered)
    assert found.candidate.fleet == replace(fleet, pools=(replace(fleet.pools[0], replicas=4),))
    assert found.utilization[0] == pytest.approx(own.pools[0].utilization * fleet.pools[0].replicas / 4)
    (length,), (look,) = found.lengths, found.look
    assert look.measured <= 20_000 <= length.measured
    assert found.unstable == ""


def test_what_is_staged_is_not_scored_again_to_be_simulated(
    monkeypatch: pytest.MonkeyPatch, source: SceneSource, fleet: Fleet
) -> None:
    staged, anew = replace(source, key="staged"), replace(source, key="simulated alone")
    found = stage(Context(), source=staged, fleet=fleet, sizes=(4,)).candidate.fleet
    expected = _run(anew, found)
    scored: list[Fleet] = []
    resize = Scene.resize

    def noted(scene: Scene, given: Fleet, *sizes: Any, **ranged: Any) -> Any:
        scored.append(given)
        return resize(scene, given, *sizes, **ranged)

    monkeypatch.setattr(Scene, "resize", noted)
    assert _run(staged, found) == expected
    assert scored == []
    assert _run(replace(source, key="another"), found) == expected
    assert scored == [found]


def test_a_stage_warns_of_its_own_pools(source: SceneSource, fleet: Fleet) -> None:
    compressing = replace(fleet, gamma=1.5)
    found = stage(Context(), source=source, fleet=compressing, sizes=(2,))
    assert any(one.startswith("gamma 1.5: ") for one in found.warnings)
    assert stage(Context(), source=source, fleet=fleet, sizes=(2,)).warnings == ()


def test_a_drowning_stage_says_so(source: SceneSource, fleet: Fleet) -> None:
    found = stage(Context(), source=replace(source, rate=90.0, key="drowning"), fleet=fleet, sizes=(1,))
    assert found.utilization[0] > 1
    assert found.unstable.startswith("unstable tail: pool all is asked for")


def test_a_replication_follows_from_seed_and_index_alone(source: SceneSource, fleet: Fleet) -> None:
    one = _run(source, fleet)
    assert _run(source, fleet) == one
    assert one.requests >= 1000
    assert one.pools[0].offered == one.pools[0].completed == 800
    assert len({one.digest, _run(source, fleet, index=1).digest, _run(source, fleet, seed=2).digest}) == 3


def test_a_bare_replication_is_judged_alike_without_what_is_long(source: SceneSource, fleet: Fleet) -> None:
    runs = [_run(source, fleet, index) for index in range(4)]
    bare = [
        replicate(Context(), source=source, fleet=fleet, lengths=FEW, seed=1, index=index, bare=True)
        for index in range(4)
    ]
    assert bare == [one.bare for one in runs]
    assert all(pool.histograms for one in runs for pool in one.pools)
    assert not any(pool.histograms for one in bare for pool in one.pools)
    assert _judge(source, *bare) == _judge(source, *runs)
    assert len(dumps(bare[0])) < len(dumps(runs[0])) / 3


def test_a_replication_stops_before_it_starts(source: SceneSource, fleet: Fleet) -> None:
    told: list[Progress] = []
    with pytest.raises(Interrupted):
        replicate(
            Context(report=told.append, cancelled=lambda: True),
            source=source,
            fleet=fleet,
            lengths=FEW,
            seed=1,
            index=0,
        )
    assert told == []


def test_a_look_says_nothing_of_a_fleet_that_may_do(source: SceneSource, fleet: Fleet) -> None:
    evidence, wanted = _judge(source, _run(source, fleet), look=True)
    assert evidence is None
    assert 0 < wanted <= LEAST


def test_a_look_condemns_what_is_far_above_a_limit(source: SceneSource, fleet: Fleet) -> None:
    tight = _asking(source, "tight", slo=Slo(ttft=0.1))
    evidence, wanted = _judge(tight, _run(tight, fleet), look=True)
    assert evidence is not None
    assert (evidence.verdict, evidence.replications, evidence.seed, wanted) == ("fail", 1, 1, 0)


def test_headroom_is_taken_off_the_limit(source: SceneSource, fleet: Fleet) -> None:
    roomy = _asking(source, "roomy", headroom=0.75)
    evidence, _ = _judge(roomy, _run(roomy, fleet), look=True)
    assert evidence is not None
    assert "2 times 0.125 s" in evidence.reason


def test_least_replications_are_judged_and_precision_asks_for_more(source: SceneSource, fleet: Fleet) -> None:
    runs = [_run(source, fleet, index) for index in range(LEAST)]
    evidence, wanted = _judge(source, *runs)
    assert evidence is not None
    assert (evidence.verdict, evidence.replications, evidence.precision, wanted) == ("pass", LEAST, 0.2, LEAST)
    assert _judge(source, *runs[::-1]) == (evidence, wanted)
    _, more = _judge(source, *runs, precision=0.001)
    assert more > LEAST
    vague, _ = _judge(source, *runs, unstable="unstable tail: so it is")
    assert vague is not None
    assert (vague.verdict, vague.reason, vague.ttft.high) == ("unproven", "unstable tail: so it is", None)
