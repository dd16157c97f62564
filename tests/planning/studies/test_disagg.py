"""Prefill and decode apart or together, for a small kept plan."""

from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.bounds import Bounds
from fleettui.domain.demand import Demand
from fleettui.domain.features import Features
from fleettui.errors import InputError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies import arguments_of, asked, commands, read_line
from fleettui.planning.studies.disagg import read
from fleettui.planning.studies.study_context import make
from store import Store
from tests.planning.simulated import Watched, question, trace


async def test_both_ways_are_beside_each_other(store: Store, workers: Watched, tmp_path: Path) -> None:
    plan = await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    study = await make("disagg", store, pool=workers, plan="last", verify=False)
    assert (study.kind, study.plan, store.study(study.handle)) == ("disagg", plan.plan.id, study)
    fleets, flips, parts, ratios = (table.records() for table in study.tables)
    assert {row["way"] for row in fleets} == {"apart", "together"}
    costs = [float(row["cost_per_hour"] or 0.0) for row in fleets]
    assert costs == sorted(costs)
    assert {row["input"] for row in flips} == {"TTFT limit", "rate", "links", "outputs"}
    assert len(parts) == 1
    assert min(float(row["cost_per_hour"] or 0.0) for row in ratios) == pytest.approx(
        next(cost for cost, row in zip(costs, fleets, strict=True) if row["way"] == "apart")
    )


@pytest.mark.evidence
async def test_links_that_are_too_slow_and_closed_loops_are_refused(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    with pytest.raises(InputError, match="no pair of replicas"):
        await make("disagg", store, pool=workers, plan="last", link=1e6, verify=False)
    closed = question(trace(tmp_path), verify=False, demand=Demand(form="concurrency", concurrency=8))
    await make_plan(closed, store=store, pool=workers)
    with pytest.raises(InputError, match="closed loop"):
        await make("disagg", store, pool=workers, plan="last")
    await make_plan(question(trace(tmp_path), verify=False, bounds=Bounds(queue=9)), store=store, pool=workers)
    with pytest.raises(InputError, match="bounds how long requests stay"):
        await make("disagg", store, pool=workers, plan="last")
    between = question(trace(tmp_path), verify=False, pools=(1, 2), router="spillover")
    await make_plan(between, store=store, pool=workers)
    with pytest.raises(InputError, match="sends between pools"):
        await make("disagg", store, pool=workers, plan="last")
    drafting = question(trace(tmp_path), verify=False, step_law="kernels", speculative="llama-3.1-8b:2@70%")
    await make_plan(drafting, store=store, pool=workers)
    with pytest.raises(InputError, match="steps verify drafts"):
        await make("disagg", store, pool=workers, plan="last")
    await make_plan(
        question(trace(tmp_path), verify=False, features=Features(watermark="5%")), store=store, pool=workers
    )
    with pytest.raises(InputError, match="engine has watermark 5%"):
        await make("disagg", store, pool=workers, plan="last")


@pytest.mark.thorough
async def test_caches_that_leave_layer_by_layer_take_less_and_first_tokens_of_decode_take_more(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    asked_for: dict[str, Any] = {"plan": "last", "link": 20e9, "verify": False}
    whole = await make("disagg", store, pool=workers, **asked_for)
    other = await make("disagg", store, pool=workers, **asked_for, overlap=True)
    later = await make("disagg", store, pool=workers, **asked_for, overlap=True, first_token="decode")
    assert [one.question.split(maxsplit=2)[2] for one in (whole, other, later)] == [
        "--link 20GB/s",
        "--link 20GB/s --overlap",
        "--link 20GB/s --overlap --first-token decode",
    ]
    rows = [next(row for row in one.tables[0].records() if row["way"] == "apart") for one in (whole, other, later)]
    first, overlapped, by_decode = (float(row["cost_per_hour"] or 0.0) for row in rows)
    assert overlapped < first
    assert by_decode > overlapped
    assert "decode sends the first token" in later.tables[2].note


@pytest.mark.thorough
async def test_short_prompts_stay_with_decode_where_that_is_asked_for(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    asked_for: dict[str, Any] = {"plan": "last", "verify": False}
    best = await make("disagg", store, pool=workers, **asked_for, short=None)
    assert "--conditional" in best.question
    assert any("stay with decode" in one for one in best.sentences)
    said = await make("disagg", store, pool=workers, **asked_for, short=100)
    assert said.question.endswith("--conditional 100")
    assert any(one.startswith("prompts of up to 100 tokens stay with decode") for one in said.sentences)
    costs = [float(one.tables[0].records()[0]["cost_per_hour"] or 0.0) for one in (best, said)]
    assert costs[0] <= costs[1]
    with pytest.raises(InputError, match="no pair of replicas") as refusal:
        await make("disagg", store, pool=workers, **asked_for, short=1_000_000)
    assert "--conditional" in str(refusal.value.remedy)


@pytest.mark.parametrize("text", ["0", "-5", "few", "512tokens", "2000000"])
async def test_tokens_of_short_prompts_are_a_whole_number(text: str) -> None:
    with pytest.raises(InputError) as refusal:
        asked(commands()["disagg"], {"plan": "last", "conditional": text})
    assert "auto" in str(refusal.value.accepted)
    assert read({"plan": "last", "conditional": "auto"})["short"] is None
    assert read_line(commands()["disagg"], "conditional 512") == {"conditional": "512"}


async def test_an_unknown_side_and_an_unknown_word_are_refused() -> None:
    with pytest.raises(InputError) as refusal:
        asked(commands()["disagg"], {"plan": "last", "first-token": "router"})
    assert refusal.value.accepted == "prefill, decode"
    with pytest.raises(InputError) as refusal:
        read_line(commands()["disagg"], "links 50GB/s")
    assert "first-token" in str(refusal.value.accepted)


@pytest.mark.parametrize("text", ["50", "50GB", "0GB/s", "fast"])
async def test_a_link_without_a_bandwidth_is_refused(text: str) -> None:
    command = commands()["disagg"]
    assert [one.name for one in arguments_of(command)] == [
        *("plan", "link", "overlap", "first-token", "conditional", "no-verify")
    ]
    with pytest.raises(InputError) as refusal:
        asked(command, {"plan": "last", "link": text})
    assert "50GB/s" in str(refusal.value.accepted)
