"""Restating finds exactly the plans that planning anew, with an engine and a catalogue bent on purpose, changes."""

import math
import re
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from fleettui.domain.hardware import Profile
from fleettui.domain.plan import ENGINE_VERSION, Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study
from fleettui.hardware import catalog
from fleettui.optimize import offers, pool_load
from fleettui.optimize.ranges import service
from fleettui.optimize.terms import Terms
from fleettui.planning import restate as use_case
from fleettui.planning.make_plan import make_plan
from fleettui.planning.simulate import simulate
from fleettui.planning.studies.study_context import make
from fleettui.planning.tasks import restate as task
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.worker_pool import WorkerPool
from fleettui.queueing.service import Service
from store import Store
from tests.planning.simulated import SHIPPED, Here, question, sketch, trace
from tests.repeated import few
from tests.store import samples

BASE = SHIPPED
_price = catalog.gpu("a100").price
assert _price is not None
A100_PRICE = _price
QUESTIONS = {
    "ttft": BASE,
    "tpot": replace(BASE, slo=Slo(tpot=0.03)),
    "loose": replace(BASE, slo=Slo(ttft=0.5, tpot=10.0)),
    "a100": replace(BASE, gpus=("a100",), slo=Slo(ttft=2.0)),
    "tp4": replace(BASE, tp=(4,)),
    "small": replace(BASE, model="llama-3.1-8b", tp=(1,)),
    "typed": replace(BASE, gpus=("a100",), slo=Slo(ttft=2.0), prices=(("a100", 1.5),)),
}


@pytest_asyncio.fixture(loop_scope="module")
async def here() -> AsyncIterator[WorkerPool]:
    async with Here() as pool:
        yield pool


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def planned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Answer]]:
    """The file of a store with the answers to QUESTIONS, and these."""
    file = tmp_path_factory.mktemp("planned") / "plans.db"
    async with Here() as pool:
        with Store.open(file) as store:
            asked = {name: replace(question, name=name) for name, question in QUESTIONS.items()}
            return file, {name: await make_plan(one, store=store, pool=pool) for name, one in asked.items()}


@pytest.fixture
def kept(planned: tuple[Path, dict[str, Answer]], tmp_path: Path) -> Iterator[tuple[Store, dict[str, Answer]]]:
    """The test's own copy of that store."""
    file, answers = planned
    with Store.open(Path(shutil.copy(file, tmp_path / "plans.db"))) as store:
        yield store, answers


def changing(study: Study) -> dict[str, dict[str, Any]]:
    """Return the rows of the plans that change, by name."""
    names = [column.name for column in study.tables[0].columns] if study.tables else []
    rows = [dict(zip(names, row, strict=True)) for table in study.tables[:1] for row in table.rows]
    return {str(row["name"]): row for row in rows}


async def anew(
    kept: dict[str, Answer], folder: Path, here: WorkerPool, names: Iterable[str] = QUESTIONS
) -> dict[str, tuple[Any, ...]]:
    """Plan what has `names` once more elsewhere, and return the figures of those that come out otherwise."""
    folder.mkdir(exist_ok=True)
    with Store.open(folder / "anew.db") as store:
        found = {name: await make_plan(QUESTIONS[name], store=store, pool=here) for name in names}
    return {name: figures(one) for name, one in found.items() if figures(one) != figures(kept[name])}


def figures(answer: Answer) -> tuple[Any, ...]:
    best = answer.answer
    return (answer.verdict, best and best.gpus, best and best.cost_per_hour)


@pytest.mark.evidence
async def test_nothing_changes_with_the_same_program(kept: tuple[Store, dict[str, Answer]], here: WorkerPool) -> None:
    store, answers = kept
    study = await make("restate", store, pool=here)
    assert study.sentences == ("0 of 7 plans change; 7 unchanged",)
    assert not study.tables
    assert store.study(study.handle).kind == "restate"
    store.archive(answers["ttft"].plan.id)
    assert "of 6 plans" in (await make("restate", store, pool=here)).sentences[0]
    assert "of 1 plan " in (await make("restate", store, pool=here, query="name:tpot")).sentences[0]


@pytest.mark.evidence
async def test_an_engine_that_is_other_changes_exactly_what_it_binds(
    kept: tuple[Store, dict[str, Answer]], here: WorkerPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, answers = kept
    honest = Terms.of

    def stricter(asked: Question) -> Terms:
        found = honest(asked)
        moved = (replace(one, seconds=one.seconds * (0.9 if one.metric == "tpot" else 1.0)) for one in found.limits)
        return replace(found, limits=tuple(moved))

    monkeypatch.setattr(Terms, "of", stricter)
    expected = await anew(answers, tmp_path, here)
    assert set(expected) == {"tpot"}, "the bump binds one plan and leaves the others"
    study = await make("restate", store, pool=here)
    rows = changing(study)
    assert {name: (row["gpus_now"], row["cost_now"]) for name, row in rows.items()} == {
        name: one[1:] for name, one in expected.items()
    }
    assert rows["tpot"]["why"] == f"the engine, still version {ENGINE_VERSION}"
    assert "numbers changed without a new version" in study.warnings[0]


@pytest.mark.thorough
async def test_a_price_changes_exactly_the_plans_that_nobody_typed_it_for(
    kept: tuple[Store, dict[str, Answer]], here: WorkerPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, answers = kept
    before = catalog.gpu

    def dearer(name: str) -> Any:
        gpu = before(name)
        return replace(gpu, price=replace(A100_PRICE, per_hour=9.0)) if name == "a100" else gpu

    price = A100_PRICE.per_hour
    monkeypatch.setattr(catalog, "gpu", dearer)
    expected = await anew(answers, tmp_path, here)
    assert set(expected) == {"a100"}
    rows = changing(await make("restate", store, pool=here))
    assert {name: (row["gpus_now"], row["cost_now"]) for name, row in rows.items()} == {
        name: one[1:] for name, one in expected.items()
    }
    assert rows["a100"]["why"] == f"the catalogue's price of A100: ${price:.2f}/h -> $9.00/h"


@pytest.mark.evidence
async def test_figures_of_hardware_and_a_shipped_trace_that_changed_are_named(
    kept: tuple[Store, dict[str, Answer]], here: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = kept
    before = catalog.gpu
    monkeypatch.setattr(
        catalog,
        "gpu",
        lambda name: replace(before(name), bandwidth=before(name).bandwidth * (0.5 if name == "a100" else 1)),
    )
    rows = changing(await make("restate", store, pool=here))
    assert set(rows) == {"a100", "typed"}
    assert {row["why"] for row in rows.values()} == {"the catalogue's figures of A100 are others"}
    monkeypatch.setattr(catalog, "gpu", before)
    monkeypatch.setattr(
        task,
        "lengths_today",
        lambda asked, _, longest: workload_of(replace(asked, workload="azure-2023-code"), longest=longest),
    )
    rows = changing(await make("restate", store, pool=here, query="name:ttft"))
    assert rows["ttft"]["why"].startswith("azure-2023-conv has other lengths or arrivals: digest ")


@pytest.mark.thorough
async def test_a_simulated_plan_is_restated_by_what_its_formula_said(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    path = trace(tmp_path)
    await make_plan(question(path, slo=Slo(ttft=0.18)), store=store, pool=workers)  # moved from 3 replicas to 4
    await simulate(sketch(1, 2), question(path), store=store, pool=workers)
    begun, _ = samples.begin(store)
    study = await make("restate", store, pool=workers)
    assert study.sentences == ("0 of 2 plans change; 2 unchanged",)
    assert study.warnings == ("1 plan not finished and left out",)
    assert begun.plan.handle not in re.findall(r"\w+", str((study.sentences, study.tables)))


@pytest.mark.thorough
async def test_a_fleet_that_was_looked_at_without_a_limit_is_restated_as_the_others_are(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    await simulate(sketch(1, 2), question(trace(tmp_path), slo=Slo()), store=store, pool=workers)
    study = await make("restate", store, pool=workers)
    assert study.sentences == ("0 of 1 plan change; 1 unchanged",)
    assert not study.warnings


async def test_a_plan_that_does_not_read_is_named_and_the_others_are_restated(
    workers: WorkerPool, tmp_path: Path
) -> None:
    path, file = trace(tmp_path), tmp_path / "x.db"
    with Store.open(file) as store:
        whole, broken = [
            await make_plan(question(path, verify=False, seed=seed), store=store, pool=workers) for seed in (1, 2)
        ]
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.execute("DROP TRIGGER plan_ends")
        raw.execute("UPDATE plan SET body = '{}' WHERE id = ?", (broken.plan.id,))
    with Store.open(file) as store:
        study = await make("restate", store, pool=workers)
    assert study.sentences == ("0 of 1 plan change; 1 unchanged",)
    assert study.warnings[0].startswith(f"plan {broken.plan.handle} is left out: a stored answer does not read: ")
    assert study.verdict == "unproven"
    assert whole.plan.handle not in re.findall(r"\w+", str((study.sentences, study.tables)))


def slower(monkeypatch: pytest.MonkeyPatch, hit: Callable[[Profile], bool]) -> None:
    """Make steps longer on the replicas that are `hit`: another engine, of the next version."""

    def bent(profile: Profile, *others: Any) -> Service:
        found = service(profile, *others)
        return found.scaled(1.5) if hit(profile) else found

    for module in (offers, pool_load):
        monkeypatch.setattr(module, "service", bent)
    monkeypatch.setattr(use_case, "ENGINE_VERSION", ENGINE_VERSION + 1)


@pytest.mark.parametrize(
    ("hit", "most"),
    few(
        [
            (lambda profile: profile.gpu == "a100", {"a100", "typed"}),
            (lambda profile: profile.tp == 2, set()),
            (lambda profile: profile.tp == 8, set(QUESTIONS)),
            (lambda profile: profile.tp == 4, {"tp4"}),
            (lambda profile: profile.model == "llama-3.1-8b", {"small"}),
        ],
        0,
        more=1,
    ),
)
async def test_an_engine_that_is_slower_in_one_place_changes_the_plans_that_stand_there(
    hit: Callable[[Profile], bool],
    most: set[str],
    kept: tuple[Store, dict[str, Answer]],
    here: WorkerPool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, answers = kept
    slower(monkeypatch, hit)
    expected = await anew(answers, tmp_path, here)
    assert set(expected) <= most
    assert bool(expected) == bool(most)
    study = await make("restate", store, pool=here)
    rows = changing(study)
    assert {name: (row["gpus_now"], row["cost_now"]) for name, row in rows.items()} == {
        name: one[1:] for name, one in expected.items()
    }
    assert {row["why"] for row in rows.values()} <= {f"engine: {ENGINE_VERSION} -> {ENGINE_VERSION + 1}"}
    unmoved = {one.plan.handle for name, one in answers.items() if name not in expected}
    assert unmoved.isdisjoint(re.findall(r"\w+", str((study.sentences, study.tables))))
    assert study.sentences[0].endswith(f"; {len(unmoved)} unchanged")


@pytest.mark.evidence
async def test_each_cause_adds_what_planning_with_it_alone_does_and_all_add_up(
    kept: tuple[Store, dict[str, Answer]], here: WorkerPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, answers = kept
    gpu, model = catalog.gpu, catalog.model

    def dear(name: str) -> Any:
        found = gpu(name)
        return replace(found, price=replace(A100_PRICE, per_hour=9.0)) if name == "a100" else found

    def slow(name: str) -> Any:
        return replace(dear(name), bandwidth=gpu(name).bandwidth * (0.5 if name == "a100" else 1))

    def large(name: str) -> Any:
        found = model(name)
        return replace(found, active_parameters=found.active_parameters * (1.5 if name == BASE.model else 1))

    def cost(found: dict[str, tuple[Any, ...]], name: str = "a100") -> float:
        return float(found[name][2])

    monkeypatch.setattr(catalog, "gpu", dear)
    priced = cost(await anew(answers, tmp_path / "price", here, ["a100"]))
    monkeypatch.setattr(catalog, "model", large)
    monkeypatch.setattr(catalog, "gpu", gpu)
    larger = await anew(answers, tmp_path / "model", here, ["a100"])
    assert {row["why"] for row in changing(await make("restate", store, pool=here)).values()} == {
        "the catalogue's figures of llama-3.1-70b are others"
    }
    monkeypatch.setattr(catalog, "gpu", dear)
    both = await anew(answers, tmp_path / "both", here, ["a100"])
    study = await make("restate", store, pool=here)
    rows = {row[1]: row[3] for row in study.tables[1].rows if row[0] == answers["a100"].plan.handle}
    before = figures(answers["a100"])[2]
    assert rows == {
        f"the catalogue's price of A100: ${A100_PRICE.per_hour:.2f}/h -> $9.00/h": priced - before,
        "the catalogue's figures of llama-3.1-70b are others": cost(larger) - before,
        "beyond the sum of each alone": pytest.approx(cost(both) - priced - cost(larger) + before),
    }
    assert math.fsum(rows.values()) == pytest.approx(cost(both) - before, abs=1e-9)  # type: ignore[arg-type]
    monkeypatch.setattr(catalog, "gpu", slow)
    named = changing(await make("restate", store, pool=here, query="name:typed"))
    assert named["typed"]["why"] == "the catalogue's figures of A100 with llama-3.1-70b are others"


@pytest.mark.evidence
async def test_an_engines_overhead_is_told_apart_from_a_gpus_figures(
    kept: tuple[Store, dict[str, Answer]], here: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = kept
    engine = catalog.engine
    monkeypatch.setattr(catalog, "engine", lambda name: replace(engine(name), overhead=0.02))
    rows = changing(await make("restate", store, pool=here))
    assert "tpot" in rows
    assert "time that the engine adds to a step: " in rows["tpot"]["why"]
