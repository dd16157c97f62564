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
    precision=0.2,
)
FORMULA = replace(QUESTION, verify=False)


def test_the_answer_is_kept_where_asked(tmp_path: Path) -> None:
    file = tmp_path / "plans.db"
    answer = fleettui.plan(QUESTION, database=str(file))
    assert answer.answer is not None
    assert answer.answer.evidence is not None
    assert answer.answer.evidence.method == "simulation"
    with Store.open(file) as store:
        assert store.plan("last") == answer
        assert store.job("last").state == "done"
    with Store.open() as store:
        assert store.plans() == ()


async def test_it_works_inside_a_running_event_loop() -> None:
    assert fleettui.plan(FORMULA).verdict == "pass"


async def test_a_refusal_comes_out_of_the_thread() -> None:
    with pytest.raises(InputError, match="unknown"):
        fleettui.plan(replace(QUESTION, model="llama"))
