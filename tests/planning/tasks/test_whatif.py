from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import dumps, from_plain, to_plain
from fleettui.domain.whatif import AS_RECORDED, Lengths, Outcome, Stage
from fleettui.domain.workload import Workload
from fleettui.errors import Interrupted, UnknownNameError
from fleettui.hardware import catalog
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import plan, whatif
from fleettui.planning.tasks.simulation_inputs import read


@pytest.fixture
def found(question: Question) -> dict[str, Any]:
    return plan.run({"question": to_plain(question)}, Context())


def scene(question: Question, found: dict[str, Any], fleet: Fleet) -> dict[str, Any]:
    return {
        "scene": repr(fleet),
        "question": to_plain(question),
        "workload": dumps(found["workload"]),
        "pairing": "joint",
        "rate": 100.0,
        "fleet": to_plain(fleet),
    }


def test_the_point_of_the_plan_itself_is_its_answer(question: Question, found: dict[str, Any]) -> None:
    payload = {"question": to_plain(question), "workload": found["workload"], "lengths": to_plain(AS_RECORDED)}
    outcome = from_plain(Outcome, whatif.point(payload, Context())["outcome"])
    answer = from_plain(Answer, found["answer"])
    assert answer.answer is not None
    assert outcome == Outcome.of(answer)
    assert (outcome.gpus, outcome.cost, outcome.rate) == (answer.answer.gpus, answer.answer.cost_per_hour, 100.0)


def test_an_unknown_gpu_is_a_mistake_and_a_small_one_is_infeasible(question: Question, found: dict[str, Any]) -> None:
    def at(asked: Question) -> Outcome:
        payload = {"question": to_plain(asked), "workload": found["workload"], "lengths": to_plain(AS_RECORDED)}
        return from_plain(Outcome, whatif.point(payload, Context())["outcome"])

    with pytest.raises(UnknownNameError):
        at(replace(question, gpus=("h1000",)))
    small = at(replace(question, gpus=("a10g",), tp=(1,)))
    assert (small.verdict, small.gpus) == ("infeasible", None)
    assert small.limited_by


def test_the_context_grows_as_the_longest_request_does(question: Question, found: dict[str, Any]) -> None:
    workload, model = from_plain(Workload, found["workload"]), catalog.model(question.model)
    _, before = read(question, workload)
    assert whatif.read_scaled(question, workload, model, AS_RECORDED)[1] == before
    (case,), after = whatif.read_scaled(question, workload, model, Lengths(prompt=2.0, output=2.0))
    assert after == pytest.approx(2 * before, abs=512)
    assert max(prompt + output for _, prompt, output in case.atoms) <= after
    (recorded,), _ = read(question, workload)
    assert case.means() == pytest.approx([2 * mean for mean in recorded.means()], rel=1e-9)


def test_a_fleet_that_is_there_is_never_made_smaller(question: Question, found: dict[str, Any]) -> None:
    answer = from_plain(Answer, found["answer"]).answer
    assert answer is not None
    (pool,) = answer.fleet.pools
    larger = replace(answer.fleet, pools=(replace(pool, replicas=pool.replicas + 2),))
    growth = {"per_month": 0.08, "start": "2026-12-01", "lead_days": 84.0, "months": 12}

    def grown(fleet: Fleet) -> tuple[Stage, ...]:
        return from_plain(tuple[Stage, ...], whatif.grow(scene(question, found, fleet) | growth, Context())["stages"])

    own, more = grown(answer.fleet), grown(larger)
    assert own[0].step.gpus == answer.gpus
    assert more[0].step.gpus == larger.gpus
    assert more[1:] == own[3:]
    assert more[0].step.up_to == own[2].step.up_to


def test_work_stops_when_asked(question: Question, found: dict[str, Any]) -> None:
    answer = from_plain(Answer, found["answer"]).answer
    assert answer is not None
    payload = scene(question, found, answer.fleet) | {"low": 50.0, "high": 200.0, "samples": 5, "seed": 1}
    for task in (whatif.step_table, whatif.sensitive):
        with pytest.raises(Interrupted):
            task(payload, Context(cancelled=lambda: True))
