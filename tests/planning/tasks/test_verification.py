import dataclasses
from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.plan import Candidate, Evidence
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import Demand, Question, Slo
from fleettui.domain.serialization import decode, dumps, from_plain, to_plain
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.errors import Interrupted
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import run as plan
from fleettui.planning.tasks.verification import judge, replicate, stage
from fleettui.simulation.statistics import LEAST

FEW = [{"warm_up": 200, "measured": 800, "relaxation": 0.1}]


@pytest.fixture(scope="module")
def answered() -> dict[str, Any]:
    """What the planner finds for 20 requests/s of the Azure conversations, on H100s in eights."""
    return plan({"question": to_plain(_question())}, Context())


@pytest.fixture
def scene(answered: dict[str, Any]) -> dict[str, Any]:
    return {
        "scene": "tasks/test_simulation",
        "question": to_plain(_question()),
        "workload": dumps(answered["workload"]),
        "pairing": "joint",
        "rate": 20.0,
        "fleet": answered["answer"]["answer"]["fleet"],
    }


def _question() -> Question:
    return Question(
        workload="azure-2023-conv",
        demand=Demand(form="rate", rate=20.0),
        slo=Slo(ttft=0.5),
        gpus=("h100",),
        tp=(8,),
        pools=(1,),
    )


def _run(scene: dict[str, Any], index: int = 0, seed: int = 1) -> Replication:
    found = replicate({**scene, "lengths": FEW, "seed": seed, "index": index}, Context())
    return decode(Replication, found["replication"])


def _judge(
    scene: dict[str, Any], runs: list[Replication], *, look: bool = False, precision: float = 0.2, unstable: str = ""
) -> tuple[Evidence | None, int]:
    more = {"replications": to_plain(runs), "precision": precision, "seed": 1, "unstable": unstable, "look": look}
    found = judge({**scene, **more}, Context())
    return None if found["evidence"] is None else from_plain(Evidence, found["evidence"]), found["wanted"]


def test_a_stage_is_the_fleet_at_other_sizes_with_its_lengths(scene: dict[str, Any], answered: dict[str, Any]) -> None:
    found = stage({**scene, "replicas": [4]}, Context())
    candidate = from_plain(Candidate, found["candidate"])
    own = from_plain(Candidate, answered["answer"]["answer"])
    assert candidate.fleet == replace(own.fleet, pools=(replace(own.fleet.pools[0], replicas=4),))
    assert found["utilization"][0] == pytest.approx(own.pools[0].utilization * own.fleet.pools[0].replicas / 4)
    (length,) = from_plain(tuple[PoolLength, ...], found["lengths"])
    (look,) = from_plain(tuple[PoolLength, ...], found["look"])
    assert look.measured <= 20_000 <= length.measured
    assert found["unstable"] == ""


def test_a_stage_warns_of_its_own_pools(scene: dict[str, Any]) -> None:
    tight = to_plain(dataclasses.replace(_question(), slo=Slo(ttft=0.5, tpot=0.05)))
    found = stage({**scene, "scene": "tasks/tight", "question": tight, "replicas": [2]}, Context())
    assert any(one.startswith("pool all: a step with a full prompt chunk takes 0.07") for one in found["warnings"])
    assert stage({**scene, "replicas": [2]}, Context())["warnings"] == ()


def test_a_drowning_stage_says_so(scene: dict[str, Any]) -> None:
    found = stage({**scene, "replicas": [1], "rate": 90.0, "scene": "drowning"}, Context())
    assert found["utilization"][0] > 1
    assert found["unstable"].startswith("unstable tail: pool all is asked for")


def test_a_replication_follows_from_seed_and_index_alone(scene: dict[str, Any]) -> None:
    one = _run(scene)
    assert _run(scene) == one
    assert one.requests >= 1000
    assert one.pools[0].offered == one.pools[0].completed == 800
    assert len({one.digest, _run(scene, index=1).digest, _run(scene, seed=2).digest}) == 3


def test_a_replication_stops_before_it_starts(scene: dict[str, Any]) -> None:
    told: list[Progress] = []
    with pytest.raises(Interrupted):
        replicate({**scene, "lengths": FEW, "seed": 1, "index": 0}, Context(report=told.append, cancelled=lambda: True))
    assert told == []


def test_a_look_says_nothing_of_a_fleet_that_may_do(scene: dict[str, Any]) -> None:
    evidence, wanted = _judge(scene, [_run(scene)], look=True)
    assert evidence is None
    assert 0 < wanted <= LEAST


def test_a_look_condemns_what_is_far_above_a_limit(scene: dict[str, Any]) -> None:
    tight = {**scene, "question": to_plain(replace(_question(), slo=Slo(ttft=0.1))), "scene": "tight"}
    evidence, wanted = _judge(tight, [_run(tight)], look=True)
    assert evidence is not None
    assert (evidence.verdict, evidence.replications, evidence.seed, wanted) == ("fail", 1, 1, 0)


def test_headroom_is_taken_off_the_limit(scene: dict[str, Any]) -> None:
    roomy = {**scene, "question": to_plain(replace(_question(), headroom=0.75)), "scene": "roomy"}
    evidence, _ = _judge(roomy, [_run(roomy)], look=True)
    assert evidence is not None
    assert "2 times 0.125 s" in evidence.reason


def test_least_replications_are_judged_and_precision_asks_for_more(scene: dict[str, Any]) -> None:
    runs = [_run(scene, index) for index in range(LEAST)]
    evidence, wanted = _judge(scene, runs)
    assert evidence is not None
    assert (evidence.verdict, evidence.replications, evidence.precision, wanted) == ("pass", LEAST, 0.2, LEAST)
    assert _judge(scene, runs[::-1]) == (evidence, wanted)
    _, more = _judge(scene, runs, precision=0.001)
    assert more > LEAST
    vague, _ = _judge(scene, runs, unstable="unstable tail: so it is")
    assert vague is not None
    assert (vague.verdict, vague.reason, vague.ttft.high) == ("unproven", "unstable tail: so it is", None)
