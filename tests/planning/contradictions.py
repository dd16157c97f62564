"""What studies of a kept plan say otherwise than its own simulations: there should be nothing."""

from __future__ import annotations

from datetime import date
from typing import Any

from fleettui.domain.plan import Candidate
from fleettui.domain.study import Study
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.studies.study_context import make
from fleettui.planning.worker_pool import WorkerPool
from store import Store

START = date(2026, 12, 1)


async def contradictions(store: Store, plan: str, workers: WorkerPool) -> list[str]:
    """Return a sentence for each row of a study of `plan` that its kept simulations contradict."""
    kept = KeptPlan.of(store, plan)
    best, rate = kept.answer.answer, kept.answer.demand.rate
    assert best is not None, "a plan without a fleet has no such studies"
    alike = {_sizes(one): one for one in kept.answer.candidates if one.simulation and _shape(one) == _shape(best)}
    verdicts = {sizes: one.simulation.verdict for sizes, one in alike.items() if one.simulation}

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
    return found


def rows(study: Study) -> list[dict[str, Any]]:
    """Return the rows of a study's first table by their columns."""
    names = [column.name for column in study.tables[0].columns]
    return [dict(zip(names, row, strict=True)) for row in study.tables[0].rows]


def _shape(candidate: Candidate) -> tuple[object, ...]:
    return candidate.fleet.gamma, *((pool.replica_key, pool.above, pool.up_to) for pool in candidate.fleet.pools)


def _sizes(candidate: Candidate) -> str:
    return " + ".join(str(pool.replicas) for pool in candidate.fleet.pools)
