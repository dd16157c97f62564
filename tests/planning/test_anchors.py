"""Studies of kept plans rest on the plans' own simulations."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.plan import LEAST_RUNS, Look
from fleettui.domain.slo import Slo
from fleettui.domain.whatif import Outcome, Point
from fleettui.planning import edges
from fleettui.planning.anchors import anchors_by_replica, anchors_of, as_known, as_simulated
from fleettui.planning.edges import MOST_PROBES
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies.study_context import make
from fleettui.reports.confidence_text import for_more, holding
from store import Store
from tests.planning.contradictions import contradictions, rows
from tests.planning.simulated import Watched, question, sizes, trace


async def kept_plan(store: Store, workers: Watched, folder: Path, rate: float = 20.0, ttft: float = 0.2) -> KeptPlan:
    asked = question(trace(folder), demand=Demand(form="rate", rate=rate), slo=Slo(ttft=ttft))
    return KeptPlan.of(store, (await make_plan(asked, store=store, pool=workers)).plan.id)


@pytest.mark.evidence
async def test_no_study_contradicts_the_simulations_of_its_plan(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edges, "MOST_PROBES", 0)  # the kept simulations are what is looked at
    kept = await kept_plan(store, workers, tmp_path)
    assert kept.answer.simulation is not None
    assert await contradictions(store, kept.id, workers) == []


@pytest.mark.thorough
@pytest.mark.looks
@pytest.mark.own_workers
async def test_where_the_plans_own_fleet_runs_out_is_simulated(store: Store, tmp_path: Path) -> None:
    async with Watched() as workers:
        await _runs_out(store, workers, tmp_path)


async def _runs_out(store: Store, workers: Watched, tmp_path: Path) -> None:
    kept = await kept_plan(store, workers, tmp_path)
    workers.asked.clear()
    steps = await make("steps", store, pool=workers, plan=kept.id)
    own = next(row for row in rows(steps) if row["gpus"] == 8 * sizes(kept.answer.answer)[0])
    assert own["proof"] == "simulated"
    assert "as simulated" in steps.sentences[0]
    assert 0 < workers.replications() <= 2 * MOST_PROBES * (LEAST_RUNS + 1), "its own fleet, and the next"
    carried = await make("capacity", store, pool=workers, fleet=kept.handle, confidence=0.9)
    assert not {one.rate for one in carried.looks} & {one.rate for one in steps.looks}
    assert rows(carried)[0]["rate"] == pytest.approx(own["up_to"], rel=1e-5)
    sure, best = kept.answer.confidence, kept.answer.answer
    assert sure is not None
    assert best is not None
    assert own["gpus"] == best.gpus
    assert holding(sure, best) in carried.sentences[-1]


async def test_an_anchor_has_every_simulated_size_of_the_plans_pools(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    kept = await kept_plan(store, workers, tmp_path)
    (anchor,), (own,) = anchors_of(kept.answer, kept.question), sizes(kept.answer.answer)
    assert (anchor.least(20.0), anchor.most(20.0)) == (own, own)
    assert {one.replicas: one.passed for one in anchor.seen} == {own: True, own - 1: False}
    best = kept.answer.answer
    assert best is not None
    assert best.evidence is not None
    seen = next(one for one in anchor.seen if one.passed)
    assert dict(seen.ratios)["ttft"] == pytest.approx((best.evidence.pools[0].ttft.value or 0) / best.pools[0].ttft)
    (by_replica,) = anchors_by_replica(kept)
    assert by_replica == (best.fleet.pools[0].replica_key, anchor.elsewhere)
    look = Look(rate=23.0, candidate=replace(best, pools=(replace(best.pools[0], utilization=0.9),)))
    ((_, more),) = anchors_by_replica(kept, (look,))
    assert [one.rate for one in more.seen if one.utilization == 0.9] == [23.0]
    assert {one for one in more.seen if one.utilization != 0.9} == {*anchor.elsewhere.seen}
    by_formula = replace(kept, answer=replace(kept.answer, answer=replace(best, evidence=None), candidates=()))
    assert anchors_of(by_formula.answer, by_formula.question)[0].seen == ()


async def test_a_simulated_plan_keeps_how_sure_it_is_and_its_range_is_by_the_same(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    kept = await kept_plan(store, workers, tmp_path, ttft=0.3)
    sure, best = kept.answer.confidence, kept.answer.answer
    assert sure is not None
    assert best is not None
    assert best.gpus_range == sure.span
    assert next(one for one in kept.answer.candidates if one.candidate == best.candidate).gpus_range == sure.span
    assert 0.5 <= sure.holds <= 1.0
    study = await make("sensitivity", store, pool=workers, plan=kept.id, samples=5)
    assert study.sentences[-1].endswith(f"alone, {holding(sure, best)}, {for_more(sure)}")
    (step,) = [row for row in rows(study) if row["input"] == "step time"]
    least, most = sure.span  # which doubts waits as well
    assert least is not None
    assert most is not None
    assert least <= step["gpus_low"] < step["gpus_high"] <= most


async def test_a_point_takes_the_verdict_of_a_simulation_that_decides_it(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    kept = await kept_plan(store, workers, tmp_path)
    same = as_known(kept, Point(values=(), question=kept.question))
    assert same is not None
    assert (same.told, same.gpus) == ("pass", 8 * sizes(kept.answer.answer)[0])
    failed = next(one for one in kept.answer.candidates if one.simulation and one.simulation.verdict == "fail")
    assert kept.answer.answer is not None

    def at(rate: float, fleet: object, **changes: object) -> Outcome:
        asked = replace(kept.question, demand=Demand(form="rate", rate=rate), **changes)  # type: ignore[arg-type]
        point = Point(values=(rate,), question=asked)
        assert as_known(kept, point) is None
        found = Outcome(verdict="pass", rate=rate, fleet=fleet, cost=1.0)  # type: ignore[arg-type]
        return as_simulated(kept, point, found)

    assert at(22.0, failed.fleet).told == "fail"
    assert at(22.0, failed.fleet, slo=Slo(ttft=0.1)).told == "fail"
    assert at(22.0, failed.fleet, slo=Slo(ttft=0.5)).told == "~pass"
    assert at(18.0, kept.answer.answer.fleet).told == "pass"
    assert at(18.0, kept.answer.answer.fleet, slo=Slo(ttft=0.1)).told == "~pass"
    assert at(22.0, kept.answer.answer.fleet).told == "~pass"
    assert at(22.0, failed.fleet, prefix_hit=0.5).told == "~pass"
    point = Point(values=(18.0,), question=replace(kept.question, demand=Demand(form="rate", rate=18.0)))
    own = kept.answer.answer
    for found in (Outcome(verdict="pass", rate=18.0, fleet=failed.fleet, cost=9e9), Outcome(verdict="fail", rate=18.0)):
        cheaper = as_simulated(kept, point, found)
        assert (cheaper.told, cheaper.fleet, cheaper.cost) == ("pass", own.fleet, own.cost_per_hour)
        other = replace(point, question=replace(point.question, gpus=("a100",)))
        assert as_simulated(kept, other, found).fleet == found.fleet
