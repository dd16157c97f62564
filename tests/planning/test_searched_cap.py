"""A plan that leaves the cap to the search, over a small trace."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.cli.ask_question import ask
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.planning import searched_cap
from fleettui.planning.make_plan import make_plan
from fleettui.planning.tasks.asked_profile import asked_profile
from fleettui.reports.question.conversion import Given, parse, to_question
from fleettui.reports.searched_cap_text import AUTO, bill
from store import Store
from tests.planning.simulated import Watched, evidence_of, question, trace


@pytest.mark.thorough
async def test_the_cheapest_cap_is_simulated_and_said_beside_none(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searched_cap, "COARSE", (0.9, 0.8))
    monkeypatch.setattr(searched_cap, "FINE", ())
    asked = question(trace(tmp_path), slo=Slo(ttft=0.25), power_price=0.12, power_cap="auto")
    answer = await make_plan(asked, store=store, pool=workers)
    row = store.row(answer.plan.id)
    plain, kept = store.plan(row.parent), store.question(answer.plan.id)
    assert kept.power_cap in (560.0, 630.0)
    assert replace(kept, power_cap="auto") == asked
    assert store.question(plain.plan.id).power_cap is None
    assert answer.answer is not None
    assert plain.answer is not None
    assert evidence_of(answer.answer).method == "simulation"
    assert bill(answer.answer, kept) < bill(plain.answer, kept)
    (said,), (before,) = ([one for one in plan.why if one.startswith(AUTO)] for plan in (answer, plain))
    assert f"no cap (plan {plain.plan.handle})" in said
    assert "costs less than none" in before
    assert store.plan(answer.plan.id) == answer


async def test_no_cap_pays_where_a_slower_clock_breaks_the_limit(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searched_cap, "COARSE", (0.6, 0.5))
    monkeypatch.setattr(searched_cap, "FINE", ())
    asked = question(trace(tmp_path), slo=Slo(ttft=0.13), power_price=0.12, power_cap="auto", verify=False)
    answer = await make_plan(asked, store=store, pool=workers)
    assert store.question(answer.plan.id).power_cap is None
    (said,) = (one for one in answer.why if one.startswith(AUTO))
    assert "no cap pays beside none" in said
    assert "no fleet holds under any" in said


async def test_a_cap_makes_room_under_a_feed(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searched_cap, "COARSE", (0.8,))
    monkeypatch.setattr(searched_cap, "FINE", ())
    free = question(trace(tmp_path), slo=Slo(ttft=0.35), power_price=0.12, verify=False)
    drawn = (await make_plan(free, store=store, pool=workers)).answer
    assert drawn is not None
    tight = replace(free, max_power=drawn.power * 0.99)
    assert (await make_plan(tight, store=store, pool=workers)).verdict == "infeasible"
    answer = await make_plan(replace(tight, power_cap="auto"), store=store, pool=workers)
    assert answer.verdict == "pass"
    assert any("without a cap no fleet holds" in one for one in answer.why)


async def test_what_cannot_be_searched_is_refused(tmp_path: Path) -> None:
    texts = {"workload": "azure-2023-conv", "rate": "20/s", "slo-ttft": "500ms", "power-cap": "auto"}

    def asked(**more: str) -> object:
        given = {**texts, **{name.replace("_", "-"): text for name, text in more.items()}}
        return to_question(parse({name: Given(text, name) for name, text in given.items() if text}))

    assert asked(power_price="0.12/kWh")
    with pytest.raises(InputError, match="has no price"):
        asked()
    with pytest.raises(InputError, match="closed loop"):
        asked(power_price="0.12/kWh", rate="", concurrency="20")
    with pytest.raises(InputError, match="no clock"):
        asked(power_price="0.12/kWh", preset="paper")
    with pytest.raises(InputError, match="all that would be handed over"):
        ask(question("azure-2023-conv", power_price=0.12, power_cap="auto"), (), detach=True, as_json=False)
    with pytest.raises(InputError, match="only a plan searches"):
        _profile_of(question("azure-2023-conv", power_price=0.12, power_cap="auto"))


def _profile_of(asked: object) -> object:
    from fleettui.domain.scenario import Question
    from fleettui.hardware import catalog

    assert isinstance(asked, Question)
    return asked_profile(
        asked,
        catalog.gpu("h100"),
        catalog.model(asked.model),
        dtype="bf16",
        tp=8,
        kv_dtype=None,
        expert_parallel=False,
        sequences=None,
    )
