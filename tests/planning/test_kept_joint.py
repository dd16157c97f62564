"""A kept joint plan: how sure it is, its reasons, growth, page, exports, and another one beside it."""

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.joint import SharedLimits
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study, plans_of
from fleettui.errors import InputError
from fleettui.planning.export import export
from fleettui.planning.joint_diff import joint_diff
from fleettui.planning.kept_joint import joint_of
from fleettui.planning.plan_together import plan_together
from fleettui.planning.report import report_plan, written
from fleettui.planning.studies.study_context import StudyContext, make
from fleettui.reports.joint_study import joint_study
from fleettui.reports.joint_sure import is_beyond
from store import Store
from tests.planning.simulated import Here, trace
from tests.planning.test_joint import joint

START = date(2026, 12, 1)


async def kept(store: Store, workers: Here, folder: Path, stock: int = 40) -> Study:
    """Keep a joint plan by formula of two workloads, 24 and 16 H100s, whose plans say how sure they are."""
    plan = await plan_together(StudyContext(store, workers), joint(trace(folder), stock, verify=False))
    sure = [
        Confidence(holds=holds, replicas=sizes, gpus=8 * sizes[0], cost=23.6 * sizes[0], span=(8, 64))
        for holds, sizes in ((0.6, (4,)), (0.95, (2,)))
    ]
    pairs = zip(plan.planned, sure, strict=True)
    planned = tuple(
        replace(one, plan=None if one.plan is None else replace(one.plan, confidence=known)) for one, known in pairs
    )
    told = replace(plan, planned=planned)
    return store.add_study(joint_study(told if is_beyond(told) else replace(told, surer=None)))


async def test_how_sure_it_is_stands_in_its_head_and_a_fleet_in_doubt_is_no_plain_pass(
    store: Store, workers: Here, tmp_path: Path
) -> None:
    study = await kept(store, workers, tmp_path)
    assert study.sentences[0].startswith("~PASS at nominal speed, by formula: 40 H100 of 40")
    assert study.sentences[1] == "the least sure is chat: ~60% sure that 24 GPUs suffice"
    assert study.sentences[2] == "within the limits none were found of which each is 60% sure, by formula"
    assert study.sentences[3] == "to be 90% sure of each, ~48 H100 (~$142/h), beyond the stock of H100 (48 of 40)"
    (sure,) = [table for table in study.tables if table.title == "How sure"]
    assert [row[:4] for row in sure.rows] == [("chat", 24, 0.6, 32), ("code", 16, 0.95, 16)]
    wide = await kept(store, workers, tmp_path, stock=64)
    assert wide.sentences[1].endswith("~60% sure that 24 GPUs suffice, 90% with ~32 like these (~$94/h)")
    assert wide.sentences[2].endswith("48 H100 (~$142/h), within all limits")


@pytest.mark.thorough
async def test_reasons_and_growth_are_those_of_each_workload(store: Store, workers: Here, tmp_path: Path) -> None:
    study = await kept(store, workers, tmp_path)
    why = await make("why", store, pool=workers, plan=study.handle)
    assert (why.kind, why.plan, why.question) == ("why", "", f"why {study.handle}")
    assert any(one.startswith("chat: pool all: ") for one in why.sentences)
    assert any(table.title.startswith("code: ") for table in why.tables)
    growth = await make(
        "growth", store, pool=workers, plan=study.handle, per_month=0.08, lead_days=30.0, start=START, months=6
    )
    rows, days, ends = (table.records() for table in growth.tables)
    assert [row["name"] for row in ends] == ["chat", "code"]
    assert [row["needed_from"] for row in rows] == sorted(str(row["needed_from"]) for row in rows)
    assert [(row["order"], row["order_by"]) for row in days] == [(row["order"], row["order_by"]) for row in rows]
    assert all(str(row["earliest"]) <= str(row["order_by"]) <= str(row["latest"] or "9") for row in days)
    assert growth.sentences[1].startswith("at today's rates the least sure is chat: ~50% sure that 24 GPUs suffice")
    assert re.search(r"; 90% sure that is due between (now|\d{4}-\d\d-\d\d) and ", growth.sentences[2])
    assert re.search(r", beyond the stock of H100 \(\d\d of 40\); 90% sure", growth.sentences[2]), growth.sentences


@pytest.mark.thorough
@pytest.mark.looks
async def test_growth_is_the_same_whatever_was_simulated_of_a_workload_before(
    store: Store, workers: Here, tmp_path: Path
) -> None:
    """Found: the first order was for another workload, and earlier, once that had been looked at alone."""
    plan = await plan_together(StudyContext(store, workers), joint(trace(tmp_path), 64, verify=True, ttft=0.16))
    study = store.add_study(joint_study(plan))
    asked: dict[str, Any] = {"per_month": 0.03, "lead_days": 56.0, "start": START, "today": START, "months": 36}
    before = await make("growth", store, pool=workers, plan=study.handle, **asked)
    chat = next(iter(plans_of(study).values()))
    alone = await make("growth", store, pool=workers, plan=chat, **asked)
    after = await make("growth", store, pool=workers, plan=study.handle, **asked)
    assert (after.sentences, after.tables) == (before.sentences, before.tables)
    orders = [row for row in before.tables[0].records() if row["name"] == "chat"]
    days = [row["needed_from"] for row in alone.tables[0].records()[1:]]
    assert [row["needed_from"] for row in orders][:2] == days[:2], "a plan of its own says the same"
    least = f"chat holds to at least {alone.tables[0].records()[1]['at_rate']:g}/s as simulated: it needs more not "
    assert f"{least}before {days[0]}" in before.sentences


@pytest.mark.thorough
async def test_each_workloads_fleet_carries_so_much(store: Store, workers: Here, tmp_path: Path) -> None:
    study = await kept(store, workers, tmp_path)
    found = await make("capacity", store, pool=workers, fleet=study.handle, confidence=0.9)
    assert [one.partition(":")[0] for one in found.sentences[1:]] == ["chat", "chat", "code", "code"]
    assert "24 H100 hold up to" in found.sentences[1]
    assert found.tables[0].title == "chat: the greatest rate that it holds"


async def test_without_fleets_it_says_what_would_do_and_has_no_traffic_to_tell(
    store: Store, workers: Here, tmp_path: Path
) -> None:
    """Found: reasons and capacity ended as a bug of the program."""
    study = await kept(store, workers, tmp_path, stock=8)
    assert study.verdict == "infeasible"
    why = await make("why", store, pool=workers, plan=study.handle)
    assert (why.kind, why.sentences, why.tables) == ("why", study.sentences, study.tables)
    assert "the stock of H100 is too small: 40 instead of 8 would do, 32 more, by formula" in why.sentences
    with pytest.raises(InputError, match="the joint plan found no fleets whose traffic could be told"):
        await make("capacity", store, pool=workers, fleet=study.handle, confidence=0.9)
    with pytest.raises(InputError, match="the joint plan found no fleets that could grow"):
        await make("growth", store, pool=workers, plan=study.handle, per_month=0.1, lead_days=9.0, start=START)


async def test_it_has_a_page_and_is_exported_as_data(store: Store, workers: Here, tmp_path: Path) -> None:
    study = await kept(store, workers, tmp_path)
    page = report_plan(store, study.handle)
    text = written(page, "md")
    assert page.word == "PASS at nominal speed"
    for words in ("## How sure", "| chat |", "fleettui verify", f"fleettui whatif {study.handle} --growth"):
        assert words in text
    assert "<h2>Answer</h2>" in written(page, "html")
    assert export(store, study.handle, "csv").startswith("name,fleet,gpus,cost,")
    assert json.loads(export(store, study.handle, "json"))["study"]["handle"] == study.handle
    assert json.loads(export(store, study.handle, "json", 2))["schema"] == 2
    with pytest.raises(InputError, match="a joint plan cannot be written in this format"):
        export(store, study.handle, "svg")
    last, first = joint_of(store, "last"), next(iter(plans_of(study).values()))
    assert last is not None
    assert last.handle == study.handle
    assert joint_of(store, first) is None


@pytest.mark.thorough
async def test_two_of_them_are_told_apart_by_their_workloads(store: Store, workers: Here, tmp_path: Path) -> None:
    old = await kept(store, workers, tmp_path)
    asked = replace(joint(trace(tmp_path), 64, verify=False), limits=SharedLimits(max_gpus=(("h100", 64),)))
    faster = replace(asked.entries[1], question=replace(asked.entries[1].question, slo=Slo(ttft=0.13)))
    plan = await plan_together(StudyContext(store, workers), replace(asked, entries=(asked.entries[0], faster)))
    new = store.add_study(joint_study(plan))
    found = joint_diff(store, old.handle, new.handle)
    assert found is not None
    assert found.sentences[0] == "40 GPUs then, 48 now: $23.60/h more"
    assert any(one.startswith("code: ") and "ttft" in one.lower() for one in found.sentences)
    rows = {str(row["name"]): row for row in found.tables[0].records()}
    assert (rows["code"]["gpus_then"], rows["code"]["gpus_now"]) == (16, 24)
    page = report_plan(store, new.handle, old.handle)
    (section,) = [one for one in page.sections if one.title == "Then and now"]
    assert [one.rstrip(".").lower() for one in section.sentences] == [one.lower() for one in found.sentences]
    with pytest.raises(InputError, match="nothing to compare with a single one"):
        joint_diff(store, old.handle, plans_of(new)["code"])
    with pytest.raises(InputError, match="a joint plan is held to another one"):
        report_plan(store, new.handle, plans_of(new)["code"])
