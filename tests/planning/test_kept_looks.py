"""What a study of a plan simulated is kept with it, and holds for all later ones."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.anchor import NOTHING_SEEN
from fleettui.domain.plan import Verdict
from fleettui.domain.study import StudyTable
from fleettui.planning.kept_looks import looks_of, seen_in, with_looks
from fleettui.planning.studies.study_context import make
from fleettui.reports.study_text import study_json
from store import Store
from tests.planning.contradictions import START, rows
from tests.planning.simulated import Watched
from tests.planning.test_anchors import kept_plan

pytestmark = [pytest.mark.looks, pytest.mark.own_workers]


@pytest.mark.thorough
async def test_what_a_study_simulated_is_not_simulated_again(store: Store, workers: Watched, tmp_path: Path) -> None:
    kept = await kept_plan(store, workers, tmp_path)
    workers.replications()
    steps = await make("steps", store, pool=workers, plan=kept.id)
    assert steps.looks
    assert workers.replications()
    assert looks_of(store, kept.id) == (*kept.answer.looks, *steps.looks)
    assert "looks" not in study_json(steps, "whatif")
    again = await make("steps", store, pool=workers, plan=kept.id)
    assert (again.looks, again.tables) == ((), steps.tables)
    assert workers.replications() == 0
    look, question = steps.looks[0], kept.question
    verdicts: tuple[tuple[Verdict, bool | None], ...] = (("pass", True), ("fail", False), ("unproven", None))
    for verdict, passed in verdicts:
        pools = tuple(replace(pool, verdict=verdict) for pool in look.evidence.pools)
        evidence = replace(look.evidence, pools=pools, verdict=verdict)
        one = replace(look, candidate=replace(look.candidate, evidence=evidence))
        (anchor,) = with_looks((NOTHING_SEEN,), (one, one), kept.fleet_for(""), question)
        (seen,) = anchor.seen
        assert seen.passed is passed
        assert seen.ratios == seen_in(one, question)[0].ratios
    other = replace(look.candidate.fleet.pools[0], tp=4)
    unlike = replace(look, candidate=replace(look.candidate, fleet=replace(look.candidate.fleet, pools=(other,))))
    assert with_looks((NOTHING_SEEN,), (unlike,), kept.fleet_for(""), question) == (NOTHING_SEEN,)


@pytest.mark.thorough
async def test_the_order_of_studies_moves_no_figure(store: Store, workers: Watched, tmp_path: Path) -> None:
    """Found: growth had simulated a larger fleet, of which steps then said otherwise than before."""
    kept = await kept_plan(store, workers, tmp_path)

    async def growth(**asked: Any) -> tuple[StudyTable, ...]:
        given: dict[str, Any] = {"per_month": 0.08, "lead_days": 84.0, "months": 12, "start": START, "today": START}
        return (await make("growth", store, pool=workers, plan=kept.id, **(given | asked))).tables

    async def steps(**asked: Any) -> tuple[StudyTable, ...]:
        return (await make("steps", store, pool=workers, plan=kept.id, **asked)).tables

    async def capacity(confidence: float = 0.9) -> tuple[StudyTable, ...]:
        return (await make("capacity", store, pool=workers, fleet=kept.id, confidence=confidence)).tables

    first = [await steps(), await growth(), await capacity()]
    await capacity(0.6)
    await steps(high=80.0)
    await growth(orders="each", per_month=0.15)
    assert [await steps(), await growth(), await capacity()] == first
    own = next(row for row in first[0][0].records() if row["gpus"] == kept.fleet_for("").gpus)
    rates = own["up_to"], first[1][0].records()[1]["at_rate"], first[2][0].records()[0]["rate"]
    assert len({*rates}) == 1, "all three say how far the plan's own fleet holds"


@pytest.mark.evidence
async def test_what_a_study_simulated_holds_for_the_others(store: Store, workers: Watched, tmp_path: Path) -> None:
    kept = await kept_plan(store, workers, tmp_path)
    growth = await make(
        "growth", store, pool=workers, plan=kept.id, per_month=0.08, lead_days=84.0, months=12, start=START
    )
    await make("capacity", store, pool=workers, fleet=kept.id, confidence=0.9)
    steps = await make("steps", store, pool=workers, plan=kept.id)
    gpus = kept.fleet_for("").gpus
    looks = [look for look in looks_of(store, kept.id) if look.candidate.gpus == gpus]
    failed = [look.rate for look in looks if look.evidence.verdict == "fail"]
    passed = [look.rate for look in looks if look.holds]
    own = next(row for row in rows(steps) if row["gpus"] == gpus)
    assert max(passed) <= own["up_to"] * (1 + 1e-9)
    assert all(own["up_to"] < rate for rate in failed)
    assert rows(growth)[1]["at_rate"] == pytest.approx(own["up_to"], rel=0.05)
    sweep = await make("whatif", store, pool=workers, plan=kept.id, sweep=[f"rate={max(passed):.4f}/s,80/s"])
    assert rows(sweep)[0]["gpus"] <= gpus
