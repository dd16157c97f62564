import asyncio
import math
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.digest import said
from fleettui.domain.plan import Answer
from fleettui.domain.progress import Progress
from fleettui.domain.simulation import LOOK
from fleettui.domain.slo import Slo
from fleettui.errors import WorkerError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.prepared_fleet import PreparedFleet, SceneSource
from fleettui.planning.prove import Prover
from fleettui.planning.simulate import simulate
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.planning.simulated import Watched, children, evidence_of, full, question, sizes, sketch, trace

Notes = list[tuple[int, int, str]]


@pytest.fixture
def asked(tmp_path: Path) -> Callable[..., object]:
    path = trace(tmp_path)
    return lambda **changes: question(path, **changes)


async def prover(
    store: Store, workers: WorkerPool, answer: Answer, notes: Notes | None = None, told: list[Progress] | None = None
) -> tuple[Prover, PreparedFleet]:
    """Return the prover of a plan's candidates, and its answer staged."""
    scenario = store.scenario(answer.plan.id)
    source = SceneSource.of(
        scenario.question, store.workload(scenario.workload), answer.demand, key=f"{answer.plan.id} {id(store)}"
    )
    seen: Notes = [] if notes is None else notes
    found = Prover(
        store=store,
        workers=workers,
        source=source,
        question=scenario.question,
        seed=1,
        precision=0.2,
        note=lambda done, total, words: seen.append((done, total, words)),
        report=None if told is None else told.append,
    )
    assert answer.answer is not None
    return found, await found.stage(answer.answer.fleet, sizes(answer.answer))


async def test_a_stage_scores_the_fleet_at_other_sizes(store: Store, workers: Watched, asked) -> None:
    answer = await make_plan(asked(verify=False), store=store, pool=workers)
    found, stage = await prover(store, workers, answer)
    assert answer.answer is not None
    assert stage.candidate.fleet == answer.answer.fleet
    assert stage.candidate.pools[0].ttft == pytest.approx(answer.answer.pools[0].ttft)
    assert stage.candidate.cost_per_hour == pytest.approx(answer.answer.cost_per_hour)
    twice = await found.stage(answer.answer.fleet, [6])
    assert sizes(twice.candidate) == (6,)
    assert twice.utilization[0] == pytest.approx(stage.utilization[0] / 2)
    assert twice.candidate.cost_per_hour == pytest.approx(2 * stage.candidate.cost_per_hour)
    assert stage.look[0].requests <= stage.lengths[0].requests


async def test_a_worker_does_not_take_a_plans_scene_at_another_rate_for_the_same(
    store: Store, workers: Watched, asked
) -> None:
    answer = await make_plan(asked(verify=False), store=store, pool=workers)
    _, stage = await prover(store, workers, answer)
    doubled = replace(answer, demand=replace(answer.demand, rate=2 * answer.demand.rate))
    _, busier = await prover(store, workers, doubled)
    assert busier.utilization[0] == pytest.approx(2 * stage.utilization[0])


@pytest.mark.thorough
async def test_replications_that_are_there_count_whichever_they_are(store: Store, workers: Watched, asked) -> None:
    answer = await make_plan(asked(verify=False), store=store, pool=workers)
    found, stage = await prover(store, workers, answer)
    assert answer.answer is not None
    own = answer.answer.candidate
    with Store.open(store.path.with_name("whole.db")) as other:
        whole = await make_plan(asked(verify=False), store=other, pool=workers)
        begun, same = await prover(other, workers, whole)
        assert whole.answer is not None
        workers.asked.clear()
        evidence = await begun.prove(whole.answer, same)
        assert workers.replications() == 1 + evidence.replications
        for run in other.replications(whole.answer.candidate, 1, histograms=True):
            if run.index in (3, 7, LOOK):
                store.add_replication(own, 1, run)
    notes: Notes = []
    told: list[Progress] = []
    found, stage = await prover(store, workers, answer, notes, told)
    assert await found.prove(answer.answer, stage) == evidence
    assert workers.replications() == 8
    assert full(store.replications(own, 1)) == tuple(range(10))
    assert {words for _, _, words in notes} == {"simulating H100 tp8 x3"}
    progress = [(done, total) for done, total, _ in notes]
    assert progress == sorted(progress, key=lambda step: step[::-1]), "the number done never falls within a round"
    assert progress[-1] == (10, 10)
    assert set(progress) <= {(step.done, step.total) for step in told}

    assert await found.prove(answer.answer, stage) == evidence
    assert workers.replications() == 0
    assert store.verifications(own) == (evidence,)


@pytest.mark.thorough
@pytest.mark.parametrize("limit", [0.2, 0.1, 0.01])
async def test_evidence_of_before_pools_had_verdicts_is_judged_anew(
    store: Store, workers: Watched, asked, limit: float
) -> None:
    """Whole, as a short look, and where nothing is simulated: the replications that are there are enough."""
    rate = 400.0 if limit == 0.01 else 20.0
    answer = await simulate(
        sketch(3 if limit == 0.2 else 2),
        asked(slo=Slo(ttft=limit), demand=Demand(form="rate", rate=rate)),
        store=store,
        pool=workers,
    )
    found, stage = await prover(store, workers, answer)
    assert answer.answer is not None
    evidence = evidence_of(answer.answer)
    assert [pool.verdict for pool in evidence.pools] == [answer.verdict]
    own = answer.answer.candidate
    old = replace(evidence, pools=tuple(replace(pool, verdict=None) for pool in evidence.pools))
    store.add_verification(own, old)
    workers.asked.clear()
    assert await found.prove(answer.answer, stage) == evidence
    assert workers.replications() == 0
    assert store.verifications(own) == (evidence, old, evidence)
    assert await found.prove(answer.answer, stage) == evidence
    assert len(store.verifications(own)) == 3


async def test_a_fleet_beyond_hope_costs_one_short_look(store: Store, workers: Watched, asked) -> None:
    workers.asked.clear()
    answer = await simulate(sketch(2), asked(slo=Slo(ttft=0.1)), store=store, pool=workers)
    assert workers.replications() == 1
    evidence = evidence_of(answer.answer)
    assert (evidence.verdict, evidence.replications) == ("fail", 1)
    assert "in one run above 2 times 0.1 s" in evidence.reason


async def test_what_is_asked_for_more_than_it_can_do_is_not_simulated(store: Store, workers: Watched, asked) -> None:
    workers.asked.clear()
    drowned = asked(demand=Demand(form="rate", rate=400.0), slo=Slo(ttft=0.5))
    answer = await simulate(sketch(1, 2), drowned, store=store, pool=workers)
    assert workers.replications() == 0
    evidence = evidence_of(answer.answer)
    assert (answer.verdict, evidence.method, evidence.verdict) == ("fail", "formula", "fail")
    short, long = evidence.pools
    assert long.utilization > short.utilization > 1
    assert said(store.plan("last")) == said(answer)
    busiest = max(evidence.pools, key=lambda pool: pool.utilization)
    assert evidence.reason.startswith(f"pool {busiest.name} is asked for {busiest.utilization:.2f} times")


async def test_a_pool_beside_one_that_drowns_keeps_its_figures(store: Store, workers: Watched, asked) -> None:
    answer = await simulate(sketch(1, 1), asked(demand=Demand(form="rate", rate=40.0)), store=store, pool=workers)
    short, long = evidence_of(answer.answer).pools
    assert answer.answer is not None
    assert short.utilization < 1 < long.utilization
    assert short.batch == pytest.approx(answer.answer.pools[0].batch)
    assert long.batch == answer.answer.fleet.pools[1].concurrency
    assert math.isclose(short.utilization, answer.answer.pools[0].utilization)
    assert (short.verdict, long.verdict) == (None, "fail"), "nothing is said of a pool that was not simulated"


@pytest.mark.thorough
async def test_a_worker_that_dies_stops_the_others_and_what_is_done_is_kept(
    store: Store, workers: Watched, asked
) -> None:
    answer = await make_plan(asked(verify=False), store=store, pool=workers)
    found, stage = await prover(store, workers, answer)
    assert answer.answer is not None
    before = asyncio.all_tasks()

    def kill_at_four(done: int, total: int, words: str) -> None:
        if done == 4:
            for pid in children(os.getpid()):
                os.kill(pid, signal.SIGKILL)

    with pytest.raises(WorkerError, match="SIGKILL"):
        await replace(found, note=kill_at_four).prove(answer.answer, stage)
    assert not [task for task in asyncio.all_tasks() - before if "_converse" in repr(task) or "one(" in repr(task)]
    kept = store.replications(answer.answer.candidate, 1)
    assert full(kept) == (0, 1, 2, 3)
    evidence = await found.prove(answer.answer, stage)
    assert (evidence.verdict, evidence.replications) == ("pass", 10)
    assert set(kept) <= set(store.replications(answer.answer.candidate, 1))
