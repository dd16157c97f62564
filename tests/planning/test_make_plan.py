from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.progress import Progress
from fleettui.domain.scenario import Demand, Question, Slo
from fleettui.errors import StoreError, UnknownNameError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.pool import WorkerPool
from store import Store

QUESTION = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=100.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    tp=(8,),
    name="chat",
)


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open() as opened:
        yield opened


async def test_the_answer_is_the_stored_one(store: Store) -> None:
    told: list[Progress] = []
    answer = await make_plan(QUESTION, store=store, report=told.append)
    assert answer.verdict == "pass"
    assert answer.plan.handle
    assert answer.plan.name == "chat"
    assert store.plan("last") == answer
    assert store.question("chat") == QUESTION
    assert told


async def test_its_inputs_are_pinned(store: Store) -> None:
    answer = await make_plan(QUESTION, store=store)
    scenario = store.scenario(answer.plan.id)
    assert store.workload(scenario.workload).name == "azure-2023-conv"
    assert [store.profile(key).tp for key in scenario.profiles] == [8]
    assert scenario.rate == 100.0


async def test_one_question_is_one_scenario_however_its_numbers_are_written(store: Store) -> None:
    whole = replace(QUESTION, demand=Demand(form="rate", rate=100), name="other")
    async with WorkerPool() as pool:
        one = await make_plan(QUESTION, store=store, pool=pool)
        two = await make_plan(whole, store=store, pool=pool)
    assert one.plan.scenario == two.plan.scenario
    assert one.plan.id != two.plan.id


async def test_a_store_is_opened_once_there_is_an_answer(tmp_path: Path) -> None:
    with ExitStack() as stack:
        answer = await make_plan(QUESTION, store=lambda: stack.enter_context(Store.open(tmp_path / "plans.db")))
    with Store.open(tmp_path / "plans.db") as store:
        assert store.plan("last") == answer


async def test_a_refused_question_opens_no_store(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        await make_plan(replace(QUESTION, gpus=("h10",)), store=lambda: Store.open(tmp_path / "plans.db"))
    assert not (tmp_path / "plans.db").exists()


async def test_a_store_that_does_not_open_says_so(tmp_path: Path) -> None:
    (tmp_path / "plans.db").write_text("this is no database, and long enough to be looked at" * 100)
    with pytest.raises(StoreError):
        await make_plan(QUESTION, store=lambda: Store.open(tmp_path / "plans.db"))


async def test_an_infeasible_answer_is_kept_too(store: Store) -> None:
    answer = await make_plan(replace(QUESTION, slo=Slo(ttft=0.001)), store=store)
    assert answer.answer is None
    assert store.plan("last").verdict == "infeasible"


async def test_a_refused_question_leaves_nothing(store: Store) -> None:
    with pytest.raises(UnknownNameError, match="did you mean h100"):
        await make_plan(replace(QUESTION, gpus=("h10",)), store=store)
    assert store.plans() == ()
