"""A plan that leaves the router to the search, over a small trace."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.cli.ask_question import ask
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.planning import searched_router
from fleettui.planning.make_plan import make_plan
from fleettui.planning.routers_that_apply import Applying
from fleettui.reports.question.conversion import Given, parse, to_question
from fleettui.reports.searched_router_text import AUTO
from fleettui.routing import named
from store import Store
from tests.planning.simulated import SHIPPED, Watched, evidence_of, question, trace

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_answer_names_its_router_and_what_the_others_would_need(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = question(trace(tmp_path), slo=Slo(ttft=0.25), router="auto", router_refresh=0.05)
    applying = ("length", "random", "least-tokens")
    monkeypatch.setattr(Applying, "names", property(lambda _: applying))
    answer = await make_plan(asked, store=store, pool=workers)
    assert answer.answer is not None
    kept = store.question(answer.plan.id)
    assert (kept.router, answer.answer.fleet.router) == ("length", "length")
    assert replace(kept, router="auto") == asked
    assert evidence_of(answer.answer).method == "simulation"
    (said,) = (one for one in answer.why if one.startswith(AUTO))
    assert "length takes" in said
    others = said.partition("would need: ")[2].split("; ")
    assert [one.split()[0] for one in others] == ["least-tokens", "random"]
    assert others[0].endswith("/h")
    assert others[1].endswith("by formula")
    assert store.plan(answer.plan.id) == answer


@pytest.mark.evidence
async def test_a_router_that_takes_less_gets_a_plan_beside_the_first(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searched_router, "FAR", 100.0)
    monkeypatch.setattr(searched_router, "_first", lambda names, *_: names[0])
    monkeypatch.setattr(Applying, "names", property(lambda _: ("random", "least-tokens")))
    asked = question(trace(tmp_path), slo=Slo(ttft=0.2), router="auto")
    answer = await make_plan(asked, store=store, pool=workers)
    assert answer.answer is not None
    assert answer.verdict == "pass"
    parent = store.row(answer.plan.id).parent
    assert (store.question(parent).router, store.question(answer.plan.id).router) == ("random", "least-tokens")
    (said,) = (one for one in answer.why if one.startswith(AUTO))
    assert f"plan {store.plan(parent).plan.handle} with random" in said
    before = store.plan(parent).answer
    assert before is not None
    assert answer.answer.cost_per_hour < before.cost_per_hour


async def test_by_formula_alone_the_others_are_told_by_formula(store: Store, workers: Watched) -> None:
    workers.asked.clear()
    asked = replace(SHIPPED, router="auto")
    answer = await make_plan(asked, store=store, pool=workers)
    (said,) = (one for one in answer.why if one.startswith(AUTO))
    assert "length takes" in said
    assert said.count("by formula") == said.partition("would need:")[2].count(";") + 1
    assert not workers.replications()


async def test_what_cannot_be_searched_is_refused() -> None:
    texts = {"workload": "azure-2023-conv", "rate": "20/s", "slo-ttft": "500ms", "router": "auto"}

    def asked(**more: str) -> object:
        given = {**texts, **{name.replace("_", "-"): text for name, text in more.items()}}
        return to_question(parse({name: Given(text, name) for name, text in given.items() if text}))

    assert asked()
    with pytest.raises(InputError, match="one queue each"):
        asked(preset="paper")
    with pytest.raises(InputError, match="both to be searched"):
        asked(power_cap="auto", power_price="0.12/kWh")
    with pytest.raises(InputError, match="all that would be handed over"):
        ask(question("azure-2023-conv", router="auto"), (), detach=True, as_json=False)
    with pytest.raises(InputError, match="only a plan by itself searches"):
        named("auto", "--router")
