from collections.abc import Iterator

import pytest

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Demand, Question, Slo
from fleettui.errors import InputError
from fleettui.planning.kept_plans import count_plans, list_plans, question_of, show_plan
from fleettui.planning.make_plan import make_plan
from store import Store

QUESTION = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=1.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    tp=(8,),
    pools=(1,),
    name="small",
)


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open() as opened:
        yield opened


@pytest.fixture
async def answer(store: Store) -> Answer:
    return await make_plan(QUESTION, store=store)


async def test_a_plan_is_listed_shown_and_asked_back(store: Store, answer: Answer) -> None:
    (row,) = list_plans(store)
    assert (row.id, row.name, row.workload) == (answer.plan.id, "small", "azure-2023-conv")
    assert list_plans(store, "small") == (row,)
    assert list_plans(store, "small", 10, 1) == ()
    assert list_plans(store, "otherwise") == ()
    assert (count_plans(store, "small"), count_plans(store, "otherwise")) == (1, 0)
    assert list_plans(store, sort="cost", reverse=True, archived=True) == (row,)
    assert (row.rate, row.slo, row.candidates) == (1.0, QUESTION.slo, len(answer.candidates))
    assert show_plan(store, row.handle) == answer
    assert show_plan(store, row.handle, most=1).candidates == answer.candidates[:1]
    assert question_of(store, "small") == QUESTION


async def test_a_name_that_nothing_has_is_refused(store: Store) -> None:
    with pytest.raises(InputError):
        show_plan(store, "last")
    with pytest.raises(InputError):
        question_of(store, "nothing")
