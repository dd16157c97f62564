"""What studies of a kept plan say otherwise than its own simulations: there should be nothing."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from fleettui.domain.plan import Candidate
from fleettui.domain.study import Study
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.studies.study_context import make
from fleettui.planning.worker_pool import WorkerPool
from fleettui.reports.studies.pareto import fleet
from store import Store

START = date(2026, 12, 1)


async def contradictions(store: Store, plan: str, workers: WorkerPool) -> list[str]:
    """Return a sentence for each row of a study of `plan` that its kept simulations contradict."""
    kept = KeptPlan.of(store, plan)
    best, rate = kept.answer.answer, kept.answer.demand.rate
    assert best is not None, "a plan without a fleet has no such studies"
    alike = {_sizes(one): one for one in kept.answer.candidates if one.simulation and _shape(one) == _shape(best)}
    verdicts = {sizes: _known(one, alike.values()) for sizes, one in alike.items()}

    async def study(kind: str, **values: Any) -> Study:
        return await make(kind, store, pool=workers, plan=kept.id, **values)

    found = []
    steps = await study("steps", low=0.8 * rate, high=1.5 * rate)
    for row in rows(steps):
        verdict = verdicts.get(row["replicas"])
        if (verdict, row["up_to"] >= rate * (1 - 1e-9)) in {("fail", True), ("unproven", True), ("pass", False)}:
            found.append(f"steps: {row['replicas']} up to {row['up_to']:.4g}/s, and at {rate:g}/s it is a {verdict}")
    holding = next(row for row in rows(steps) if row["up_to"] >= rate * (1 - 1e-9))
    if kept.answer.verdict == "pass" and holding["replicas"] != _sizes(best):
        found.append(f"steps: {holding['replicas']} hold {rate:g}/s, the plan has {_sizes(best)}")
    growth = await study("growth", per_month=0.08, lead_days=84.0, start=START, months=12)
    if kept.answer.verdict == "pass" and rows(growth)[0]["replicas"] != _sizes(best):
        found.append(f"growth begins with {rows(growth)[0]['replicas']}, the plan has {_sizes(best)}")
    sweep = await study("whatif", sweep=[f"rate={rate:.6g}/s,{0.98 * rate:.6g}/s"])
    same, less = rows(sweep)
    if (same["gpus"], same["verdict"]) != (best.gpus, kept.answer.verdict):
        found.append(f"sweep: {same['verdict']} {same['gpus']} GPUs, the plan {kept.answer.verdict} {best.gpus}")
    dearer = less["cost_per_hour"] is None or less["cost_per_hour"] > best.cost_per_hour * (1 + 1e-9)
    if kept.answer.verdict == "pass" and dearer:
        found.append(f"sweep: {less['fleet']} at a lower rate is dearer than the plan")
    found += _pareto(kept, await study("pareto"))
    return found


def _known(candidate: Candidate, alike: Iterable[Candidate]) -> str | None:
    """Return a fleet's verdict, which a proof of no more replicas in any pool decides where few runs left it open."""
    own = None if candidate.simulation is None else candidate.simulation.verdict
    held = (one for one in alike if one.simulation and one.simulation.verdict == "pass")
    pairs = ([*zip(one.fleet.pools, candidate.fleet.pools, strict=True)] for one in held)
    outdone = any(all(less.replicas <= pool.replicas for less, pool in pools) for pools in pairs)
    return "pass" if own == "unproven" and outdone else own


def _pareto(kept: KeptPlan, study: Study) -> list[str]:
    """Return what rows of a trade-off say otherwise than kept simulations."""
    best = kept.answer.answer
    assert best is not None, "a plan without a fleet has no trade-off"
    mixed = kept.question.dtype == "auto"
    failed = {
        fleet(one.fleet, dtype=mixed)
        for one in kept.answer.candidates
        if one.simulation and one.simulation.verdict == "fail"
    }
    told = [(title, row) for place, title in enumerate(("best", "front")) for row in rows(study, place)]
    found = [f"pareto, {title}: {row['fleet']} failed" for title, row in told if row["fleet"] in failed]
    cheapest = rows(study, 1)[0]
    if kept.answer.verdict == "pass" and cheapest["cost_per_hour"] > best.cost_per_hour * (1 + 1e-9):
        found.append(f"pareto: the cheapest costs {cheapest['cost_per_hour']:.4g}, the plan {best.cost_per_hour:.4g}")
    return found


def rows(study: Study, place: int = 0) -> list[dict[str, Any]]:
    """Return the rows of a study's table, its first unless another is meant, by their columns."""
    names = [column.name for column in study.tables[place].columns]
    return [dict(zip(names, row, strict=True)) for row in study.tables[place].rows]


def _shape(candidate: Candidate) -> tuple[object, ...]:
    return candidate.fleet.gamma, *((pool.replica_key, pool.above, pool.up_to) for pool in candidate.fleet.pools)


def _sizes(candidate: Candidate) -> str:
    return " + ".join(str(pool.replicas) for pool in candidate.fleet.pools)
