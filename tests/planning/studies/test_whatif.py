"""What-if questions about a small kept plan, each held to planning anew."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import to_plain
from fleettui.domain.slo import Slo
from fleettui.domain.study import Cell, Study, StudyTable
from fleettui.errors import InputError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies.study_context import make
from fleettui.reports import fleet_text
from store import Store
from tests.planning.simulated import Watched, question, trace

START = date(2026, 12, 1)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[tuple[Store, Question]]:
    with Store.open(tmp_path / "f.db") as opened:
        yield opened, question(trace(tmp_path), verify=False, name="small", pools=(1, 2), gpus=("h100", "a100"))


def rows(table: StudyTable) -> list[dict[str, Cell]]:
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def told(study: Study) -> Any:
    return {name: value for name, value in to_plain(study).items() if name not in {"id", "handle", "created"}}


async def planned(asked: Question, workers: Watched) -> Answer:
    with Store.open() as own:
        return await make_plan(asked, store=own, pool=workers)


@pytest.mark.thorough
async def test_rows_are_what_planning_finds(folder: tuple[Store, Question], workers: Watched) -> None:
    store, asked = folder
    plan = await make_plan(asked, store=store, pool=workers)
    study = await make("whatif", store, pool=workers, plan="small", sweep=["rate=10/s,20/s,60/s"])
    for row in rows(study.tables[0]):
        assert isinstance(row["rate"], float)
        anew = await planned(replace(asked, demand=Demand(form="rate", rate=row["rate"])), workers)
        assert anew.answer is not None
        assert row["verdict"] == "~pass"
        assert (row["gpus"], row["cost_per_hour"]) == (anew.answer.gpus, pytest.approx(anew.answer.cost_per_hour))
        assert row["fleet"] == fleet_text.fleet(anew.answer.fleet)
        assert row["ttft"] == pytest.approx(max(pool.ttft for pool in anew.answer.pools))
    assert plan.answer is not None
    assert rows(study.tables[0])[1]["gpus"] == plan.answer.gpus
    assert study.plan == plan.plan.id
    assert store.study(study.handle) == study
    assert study.sentences[0].startswith(f"as planned: {fleet_text.gpu_total(plan.answer.fleet)}")


@pytest.mark.evidence
async def test_points_that_cannot_be_served_say_so(folder: tuple[Store, Question], workers: Watched) -> None:
    store, asked = folder
    await make_plan(asked, store=store, pool=workers)
    study = await make("whatif", store, pool=workers, plan="small", sweep=["slo-ttft=1ms,200ms"])
    first, second = rows(study.tables[0])
    assert (first["verdict"], first["gpus"], first["fleet"]) == ("infeasible", None, "none")
    assert second["verdict"] == "~pass"
    assert "alone on a replica" in " ".join(study.sentences)
    study = await make("whatif", store, pool=workers, plan="small", sweep=["model=llama-3.1-70b,llama-3.1-405b"])
    assert [row["verdict"] for row in rows(study.tables[0])] == ["~pass", "infeasible"]
    study = await make("whatif", store, pool=workers, plan="small", sweep=["prompt-length=1,1000"])
    assert [row["verdict"] for row in rows(study.tables[0])] == ["~pass", "infeasible"]


@pytest.mark.evidence
async def test_longer_requests_are_those_of_a_longer_trace(
    folder: tuple[Store, Question], workers: Watched, tmp_path: Path
) -> None:
    store, asked = folder[0], replace(folder[1], slo=Slo(ttft=0.6))
    await make_plan(asked, store=store, pool=workers)
    text = Path(asked.workload or "").read_text()
    longer = tmp_path / "longer.jsonl"
    for tokens in (3000, 1500, 900, 600, 300):
        text = text.replace(f'"input_tokens": {tokens},', f'"input_tokens": {2 * tokens},')
    longer.write_text(text)
    anew = await planned(replace(asked, workload=str(longer)), workers)
    study = await make("whatif", store, pool=workers, plan="small", sweep=["prompt-length=2"])
    assert anew.answer is not None
    assert rows(study.tables[0])[0]["gpus"] == anew.answer.gpus
    assert rows(study.tables[0])[0]["ttft"] == pytest.approx(max(pool.ttft for pool in anew.answer.pools))


async def test_bad_sweeps_are_refused_before_any_work(folder: tuple[Store, Question], workers: Watched) -> None:
    store, asked = folder
    await make_plan(asked, store=store, pool=workers)
    workers.asked.clear()
    for texts in (["rat=1/s,2/s"], ["rate=1/s:2/s:1000000"], ["rate=1:2:3"]):
        with pytest.raises(InputError):
            await make("whatif", store, pool=workers, plan="small", sweep=texts)
    assert workers.asked == []
    with pytest.raises(InputError, match="unknown GPU"):
        await make("whatif", store, pool=workers, plan="small", sweep=["gpu=h100,nosuch"])
    with pytest.raises(InputError):
        await make("whatif", store, pool=workers, plan="nosuch", sweep=["rate=1/s,2/s"])
    assert store.studies() == []


@pytest.mark.thorough
async def test_the_steps_hold_the_plans_own_fleet(folder: tuple[Store, Question], workers: Watched) -> None:
    store, asked = folder
    plan = await make_plan(asked, store=store, pool=workers)
    study = await make("steps", store, pool=workers, plan="small")
    found = rows(study.tables[0])
    assert plan.answer is not None
    own = next(row for row in found if isinstance(row["up_to"], float) and row["up_to"] >= 20.0)
    assert (own["gpus"], own["cost_per_hour"]) == (plan.answer.gpus, pytest.approx(plan.answer.cost_per_hour))
    assert "--from 10/s --to 40/s" in study.question
    with pytest.raises(InputError, match="empty"):
        await make("steps", store, pool=workers, plan="small", low=30.0, high=20.0)


@pytest.mark.evidence
async def test_growth_meets_the_steps(folder: tuple[Store, Question], workers: Watched) -> None:
    store, asked = folder
    await make_plan(asked, store=store, pool=workers)
    asked_for: dict[str, Any] = {"plan": "small", "per_month": 0.1, "lead_days": 30, "start": START, "months": 18}
    study = await make("growth", store, pool=workers, orders="each", **asked_for)
    table = rows((await make("steps", store, pool=workers, plan="small", low=20.0, high=200.0)).tables[0])
    found = rows(study.tables[0])
    assert len(found) > 3
    for before, row in pairwise(found):
        step = next(one for one in table if one["gpus"] == before["gpus"])
        assert row["at_rate"] == pytest.approx(step["up_to"], rel=1e-5)
        assert isinstance(row["needed_from"], str)
        assert isinstance(step["up_to"], float)
        days = (date.fromisoformat(row["needed_from"]) - START).days
        assert 20.0 * 1.1 ** (days * 12 / 365) <= step["up_to"] * (1 + 1e-9) < 20.0 * 1.1 ** ((days + 1) * 12 / 365)
    batched = await make("growth", store, pool=workers, today=date(2026, 11, 23), **asked_for)
    orders = rows(batched.tables[0])[1:]
    assert 0 < len(orders) <= 6 < len(found), "one a quarter, in 18 months"
    assert all(int(str(row["order"])) % 8 == 0 for row in orders), "whole nodes"
    assert [("late" in str(row["note"])) for row in orders] == [str(row["order_by"]) < "2026-11-23" for row in orders]
    assert len(rows(batched.tables[1])) == len(orders)
    for row in rows(batched.tables[1]):
        assert str(row["earliest"]) < str(row["order_by"]) < str(row["latest"] or "never")
    right: dict[str, Any] = {"per_month": 0.1, "lead_days": 30, "start": START}
    for wrong in ({"months": 0}, {"months": 10_000}, {"lead_days": -1.0}, {"per_month": 0.0}):
        with pytest.raises(InputError):
            await make("growth", store, pool=workers, plan="small", **(right | wrong))


@pytest.mark.thorough
async def test_sensitivity_is_the_same_twice(folder: tuple[Store, Question], workers: Watched) -> None:
    store, asked = folder[0], replace(folder[1], slo=Slo(ttft=1.0))
    plan = await make_plan(asked, store=store, pool=workers)
    first = await make("sensitivity", store, pool=workers, plan="small", samples=40, seed=7)
    second = await make("sensitivity", store, pool=workers, plan="small", samples=40, seed=7)
    assert told(first) == told(second)
    assert told(await make("sensitivity", store, pool=workers, plan="small", samples=40, seed=8)) != told(first)
    tornado, ranks, histogram, drawn = first.tables
    rate = next(row for row in rows(tornado) if row["input"] == "rate")
    for end, key in ((16.0, "gpus_low"), (24.0, "gpus_high")):
        shape = {"gpus": ("h100",), "pools": (1,), "demand": Demand(form="rate", rate=end)}
        if plan.answer is not None and len(plan.answer.fleet.pools) == 1 and plan.answer.fleet.pools[0].gpu == "h100":
            anew = await planned(replace(asked, **shape), workers)  # type: ignore[arg-type]
            assert anew.answer is not None
            assert rate[key] == anew.answer.gpus
    percentiles = [row["gpus"] for row in rows(ranks)[:-1]]
    assert percentiles == sorted(percentiles)  # type: ignore[type-var]
    assert rows(histogram)[-1]["share_so_far"] == pytest.approx(1.0)
    assert [row["input"] for row in rows(drawn)] == ["rate", "prompt length", "output length", "step time"]
    for samples in (0, 10**9):
        with pytest.raises(InputError):
            await make("sensitivity", store, pool=workers, plan="small", samples=samples)


async def test_what_has_no_fleet_or_no_step_times_is_refused(folder: tuple[Store, Question], workers: Watched) -> None:
    store, asked = folder
    await make_plan(replace(asked, budget=0.01, name="dear"), store=store, pool=workers)
    with pytest.raises(InputError, match="found no fleet"):
        await make("steps", store, pool=workers, plan="dear")
    study = await make("whatif", store, pool=workers, plan="dear", sweep=["budget=0.01/h,1000/h"])
    assert [row["verdict"] for row in rows(study.tables[0])] == ["infeasible", "~pass"]
    paper = replace(asked, preset="paper", slo=replace(asked.slo, ttft=0.5), tp=(), gpus=("h100",), name="paper")
    await make_plan(paper, store=store, pool=workers)
    with pytest.raises(InputError, match="papers"):
        await make("sensitivity", store, pool=workers, plan="paper")
