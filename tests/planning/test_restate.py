"""Restating finds exactly the plans that planning anew, with an engine and a catalogue bent on purpose, changes."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question, Slo
from fleettui.domain.study import Study
from fleettui.hardware import catalog
from fleettui.optimize.terms import Terms
from fleettui.planning.make_plan import make_plan
from fleettui.planning.pool import WorkerPool
from fleettui.planning.restate import restate
from fleettui.planning.simulate import simulate
from fleettui.planning.tasks import restate as task
from fleettui.planning.tasks.reading import workload_of
from store import Store
from tests.planning.simulated import SHIPPED, Here, question, sketch, trace
from tests.store import samples

pytestmark = pytest.mark.asyncio(loop_scope="module")

BASE = SHIPPED
QUESTIONS = {
    "ttft": BASE,
    "tpot": replace(BASE, slo=Slo(tpot=0.03)),
    "loose": replace(BASE, slo=Slo(ttft=0.5, tpot=10.0)),
    "a100": replace(BASE, gpus=("a100",), slo=Slo(ttft=2.0)),
    "typed": replace(BASE, gpus=("a100",), slo=Slo(ttft=2.0), prices=(("a100", 1.5),)),
}


@pytest_asyncio.fixture(loop_scope="module")
async def here() -> AsyncIterator[WorkerPool]:
    async with Here() as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def kept(store: Store, here: WorkerPool) -> dict[str, Answer]:
    return {
        name: await make_plan(replace(asked, name=name), store=store, pool=here) for name, asked in QUESTIONS.items()
    }


def changing(study: Study) -> dict[str, dict[str, Any]]:
    """Return the rows of the plans that change, by name."""
    names = [column.name for column in study.tables[0].columns] if study.tables else []
    rows = [dict(zip(names, row, strict=True)) for table in study.tables for row in table.rows]
    return {str(row["name"]): row for row in rows}


async def anew(kept: dict[str, Answer], folder: Path, here: WorkerPool) -> dict[str, tuple[Any, ...]]:
    """Plan everything once more elsewhere, and return the figures of those that come out otherwise."""
    with Store.open(folder / "anew.db") as store:
        found = {name: await make_plan(asked, store=store, pool=here) for name, asked in QUESTIONS.items()}
    return {name: figures(one) for name, one in found.items() if figures(one) != figures(kept[name])}


def figures(answer: Answer) -> tuple[Any, ...]:
    best = answer.answer
    return (answer.verdict, best and best.gpus, best and best.cost_per_hour)


async def test_nothing_changes_with_the_same_program(store: Store, kept: dict[str, Answer], here: WorkerPool) -> None:
    study = await restate(store, pool=here)
    assert study.sentences == ("0 of 5 plans change; 5 unchanged",)
    assert not study.tables
    assert store.study(study.handle).kind == "restate"
    store.archive(kept["ttft"].plan.id)
    assert "of 4 plans" in (await restate(store, pool=here)).sentences[0]
    assert "of 1 plan " in (await restate(store, "name:tpot", pool=here)).sentences[0]


async def test_an_engine_that_is_other_changes_exactly_what_it_binds(
    store: Store, kept: dict[str, Answer], here: WorkerPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Terms.of

    def stricter(asked: Question) -> Terms:
        found = honest(asked)
        return replace(found, tpot=found.tpot and found.tpot * 0.9)

    monkeypatch.setattr(Terms, "of", stricter)
    expected = await anew(kept, tmp_path, here)
    assert set(expected) == {"tpot"}, "the bump binds one plan and leaves the others"
    study = await restate(store, pool=here)
    rows = changing(study)
    assert {name: (row["gpus_now"], row["cost_now"]) for name, row in rows.items()} == {
        name: one[1:] for name, one in expected.items()
    }
    assert rows["tpot"]["why"] == "the engine, still version 3"
    assert "numbers changed without a new version" in study.warnings[0]


async def test_a_price_changes_exactly_the_plans_that_nobody_typed_it_for(
    store: Store, kept: dict[str, Answer], here: WorkerPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = catalog.gpu

    def dearer(name: str) -> Any:
        gpu = before(name)
        return replace(gpu, price=replace(gpu.price, per_hour=9.0)) if name == "a100" else gpu

    price = before("a100").price.per_hour
    monkeypatch.setattr(catalog, "gpu", dearer)
    expected = await anew(kept, tmp_path, here)
    assert set(expected) == {"a100"}
    rows = changing(await restate(store, pool=here))
    assert {name: (row["gpus_now"], row["cost_now"]) for name, row in rows.items()} == {
        name: one[1:] for name, one in expected.items()
    }
    assert rows["a100"]["why"] == f"the catalogue's price of A100: ${price:.2f}/h -> $9.00/h"


async def test_figures_of_hardware_and_a_shipped_trace_that_changed_are_named(
    store: Store, kept: dict[str, Answer], here: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = catalog.gpu
    monkeypatch.setattr(
        catalog,
        "gpu",
        lambda name: replace(before(name), bandwidth=before(name).bandwidth * (0.5 if name == "a100" else 1)),
    )
    rows = changing(await restate(store, pool=here))
    assert set(rows) == {"a100", "typed"}
    assert {row["why"] for row in rows.values()} == {"the catalogue's figures of A100 are others"}
    monkeypatch.setattr(catalog, "gpu", before)
    monkeypatch.setattr(
        task,
        "workload_of",
        lambda asked, longest: workload_of(replace(asked, workload="azure-2023-code"), longest=longest),
    )
    rows = changing(await restate(store, "name:ttft", pool=here))
    assert rows["ttft"]["why"].startswith("azure-2023-conv has other lengths or arrivals: digest ")


async def test_a_simulated_plan_is_restated_by_what_its_formula_said(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    path = trace(tmp_path)
    await make_plan(question(path, slo=Slo(ttft=0.18)), store=store, pool=workers)  # moved from 3 replicas to 4
    await simulate(sketch(1, 2), question(path), store=store, pool=workers)
    begun, _ = samples.begin(store)
    study = await restate(store, pool=workers)
    assert study.sentences == ("0 of 2 plans change; 2 unchanged",)
    assert study.warnings == ("1 plan not finished and left out",)
    assert begun.plan.handle not in str(study)
