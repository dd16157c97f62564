"""A plan runs again from the store alone: the same to the byte, whatever the file and the catalogue say by now."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.engine_changes import CHANGES
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.planning.make_plan import make_plan
from fleettui.planning.rerun import rerun
from fleettui.planning.simulate import simulate
from fleettui.planning.verify import verify
from fleettui.planning.worker_pool import WorkerPool
from fleettui.reports.rerun_text import Rerun, rerun_text
from store import Store
from tests.own_fits import FIT, SERVER
from tests.planning.simulated import Here, question, sketch, trace
from tests.store import samples


def differing(found: Rerun) -> set[str]:
    return {row.label for row in found.comparison.rows if row.differs}


async def test_a_plan_by_formula_is_the_same_without_its_trace(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    path = trace(tmp_path)
    kept = await make_plan(question(path, verify=False, name="chat"), store=store, pool=workers)
    Path(path).unlink()
    found = await rerun(store, "last", pool=workers)
    assert found.same, found.differs
    assert found.digests[0] == found.digests[1]
    assert store.count() == 1
    text = rerun_text(found)
    assert text.startswith(f"{kept.plan.handle} chat: the same to the byte")
    assert "by formula" in text


@pytest.mark.evidence
async def test_a_proven_plan_is_proven_again_each_time_that_it_was(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    path = trace(tmp_path)
    await make_plan(question(path, slo=Slo(ttft=0.18)), store=store, pool=workers)  # moved from 3 replicas to 4
    found = await rerun(store, "last", pool=workers)
    assert found.same, found.differs
    kept = await make_plan(question(path), store=store, pool=workers)
    await verify(store, kept.plan.id, precision=0.1, seed=7, pool=workers)
    found = await rerun(store, "last", pool=workers)
    assert found.same, found.differs
    assert found.again.answer is not None
    assert found.again.answer.evidence is not None
    assert found.again.answer.evidence.seed == 7
    assert "its proof too" in rerun_text(found)


@pytest.mark.thorough
async def test_a_fleet_that_was_given_is_simulated_again(store: Store, workers: WorkerPool, tmp_path: Path) -> None:
    await simulate(sketch(1, 2), question(trace(tmp_path)), store=store, pool=workers)
    found = await rerun(store, "last", pool=workers)
    assert found.same, (found.differs, found.kept.candidates, found.again.candidates)


@pytest.mark.evidence
async def test_a_plan_by_a_fit_is_the_same_where_nobody_has_the_fit(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    server = replace(SERVER, dtype="bf16", tp=8)
    fit = replace(FIT, step_law="roofline", servers=(server,))
    plain = await make_plan(question(trace(tmp_path)), store=store, pool=workers)
    kept = await make_plan(question(trace(tmp_path), fit=fit), store=store, pool=workers)
    for answer in (plain, kept):
        found = await rerun(store, answer.plan.id, pool=workers)
        assert found.same, found.differs
    assert kept.answer is not None
    assert plain.answer is not None
    steps = [one.fleet.pools[0].profile for one in (plain.answer, kept.answer)]
    assert steps[1].time_per_context_token == pytest.approx(1.2 * steps[0].time_per_context_token)
    assert steps[1].time_per_prompt_token == pytest.approx(1.2 * steps[0].time_per_prompt_token)
    assert kept.answer.speeds == "own fit prod"
    assert (
        sum(one.startswith("steps of h100/llama-3.1-70b/bf16/tp8 are by own fit prod, of 10 runs") for one in kept.why)
        == 1
    )
    assert [one for one in kept.warnings if one.startswith("pool all is beyond own fit prod")]
    assert not [one for one in (*plain.why, *plain.warnings) if "fit" in one]
    given = await simulate(sketch(4), question(trace(tmp_path), fit=fit), store=store, pool=workers)
    assert sum("by own fit prod, of 10 runs" in one for one in given.why) == 1
    assert [one for one in given.warnings if one.startswith("pool all is beyond own fit prod")]
    found = await rerun(store, given.plan.id, pool=workers)
    assert found.same, found.differs


@pytest.mark.thorough
async def test_what_another_engine_said_is_compared_all_the_same(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    older = _kept_as(store, store.plan("last"), engine_version=1)
    found = await rerun(store, older.plan.id, pool=workers)
    assert found.same
    told = " ".join(rerun_text(found).split())
    assert "it was made by engine 1, and this is engine" in told
    assert all(one in told for one in CHANGES.values())
    assert older.answer is not None
    cheap = replace(older.answer, cost_per_hour=1.0)
    _kept_as(store, replace(older, answer=cheap, candidates=(cheap,)))
    found = await rerun(store, "last", pool=workers)
    assert not found.same
    assert found.differs == ("answer", "candidates")
    assert differing(found) == {"cost"}
    assert "not the same; what differs: answer, candidates" in rerun_text(found)


def _kept_as(store: Store, plan: Answer, **changes: Any) -> Answer:
    """Keep a plan once more as it is, its scenario changed."""
    scenario = store.scenario("last")
    return store.add_plan(
        NewPlan(
            answer=plan,
            scenario=replace(scenario, **changes),
            provenance=samples.provenance(),
            workload=store.workload(scenario.workload),
            profiles=tuple(store.profile(key) for key in scenario.profiles),
        )
    )


async def test_a_plan_that_is_not_finished_is_refused(store: Store, workers: WorkerPool) -> None:
    begun, _ = samples.begin(store)
    with pytest.raises(InputError, match="it is not finished"):
        await rerun(store, begun.plan.id, pool=workers)


@pytest.mark.thorough
async def test_a_catalogue_that_changed_since_is_nothing_to_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = catalog.gpu

    def slower(name: str) -> Any:
        return replace(before(name), bandwidth=before(name).bandwidth / 2)

    async with Here() as here:
        await make_plan(question(trace(tmp_path)), store=store, pool=here)
        monkeypatch.setattr(catalog, "gpu", slower)
        found = await rerun(store, "last", pool=here)
    assert found.same, found.differs
