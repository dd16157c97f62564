from dataclasses import replace
from pathlib import Path

import pytest

import fleettui
from fleettui import Demand, InputError, Question, Slo, Store

QUESTION = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=1.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    tp=(8,),
    pools=(1,),
)


def test_the_answer_is_kept_where_asked(tmp_path: Path) -> None:
    file = tmp_path / "plans.db"
    answer = fleettui.plan(QUESTION, database=str(file))
    with Store.open(file) as store:
        assert store.plan("last") == answer
    with Store.open() as store:
        assert store.plans() == ()


async def test_it_works_inside_a_running_event_loop() -> None:
    assert fleettui.plan(QUESTION).verdict == "pass"


async def test_a_refusal_comes_out_of_the_thread() -> None:
    with pytest.raises(InputError, match="unknown"):
        fleettui.plan(replace(QUESTION, model="llama"))
