from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Answer
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import Demand, DerivedDemand, Provenance, Question, Slo
from fleettui.domain.wire import from_plain, to_plain
from fleettui.domain.workload import Workload
from fleettui.errors import InputError, Interrupted
from fleettui.planning.context import Context
from fleettui.planning.tasks.plan import costliest, run

PERCENTILES: dict[str, Any] = {
    "workload": None,
    "prompt": ((0.5, 900.0), (0.99, 8000.0)),
    "output": ((0.5, 200.0), (0.99, 1500.0)),
}


def _run(question: Question) -> Answer:
    return from_plain(Answer, run({"question": to_plain(question)}, Context())["answer"])


def test_the_answer_comes_with_everything_it_rests_on(question: Question) -> None:
    found = run({"question": to_plain(question)}, Context())
    answer = from_plain(Answer, found["answer"])
    assert answer.verdict == "pass"
    assert answer.answer is not None
    assert 40 <= answer.answer.gpus <= 56
    assert 0.2 < answer.answer.pools[0].mfu < 0.6
    assert answer.demand == DerivedDemand(rate=100.0, arithmetic="100 requests/s, as given", pairing="joint")
    assert from_plain(Workload, found["workload"]).name == "azure-2023-conv"
    assert [profile.tp for profile in from_plain(tuple[Profile, ...], found["profiles"])] == [8]
    assert from_plain(Provenance, found["provenance"]).engine_version == answer.plan.engine_version


def test_it_is_the_same_twice(question: Question) -> None:
    assert _run(question) == _run(question)


def test_it_tells_what_it_does_and_stops_when_asked(question: Question) -> None:
    told: list[Progress] = []
    run({"question": to_plain(question)}, Context(report=told.append))
    assert [step.message for step in told] == ["reading azure-2023-conv", "searching fleets"]
    with pytest.raises(Interrupted):
        run({"question": to_plain(question)}, Context(cancelled=lambda: True))


def test_the_context_is_printed_in_the_last_pool(question: Question) -> None:
    answer = _run(question).answer
    assert answer is not None
    assert answer.fleet.pools[-1].up_to % 256 == 0


def test_percentiles_give_the_costliest_pairing_and_the_range(question: Question) -> None:
    asked = replace(question, **PERCENTILES, demand=Demand(form="rate", rate=60.0), slo=Slo(tpot=0.04))
    answer = _run(asked)
    assert answer.answer is not None
    (sentence,) = (warning for warning in answer.warnings if "pair" in warning)
    sizes = {int(word) for word in sentence.replace(",", " ").replace(")", " ").split() if word.isdigit()}
    assert answer.answer.gpus == max(sizes)
    assert "opposite order" in sentence


def test_a_closed_loop_settles(question: Question) -> None:
    answer = _run(replace(question, demand=Demand(form="concurrency", concurrency=400, think=20.0)))
    assert answer.answer is not None
    figures, fleet = answer.answer.pools[0], answer.answer.fleet.pools[0]
    inside = figures.batch * fleet.replicas
    assert inside + answer.demand.rate * 20.0 == pytest.approx(400, rel=0.02)


def test_an_infeasible_question_has_an_answer(question: Question) -> None:
    answer = _run(replace(question, slo=Slo(ttft=0.001)))
    assert answer.verdict == "infeasible"
    assert answer.answer is None
    assert answer.why


def test_a_question_without_a_limit_is_refused(question: Question) -> None:
    with pytest.raises(InputError, match="no service level objective"):
        _run(replace(question, slo=Slo()))


def test_what_does_not_exist_yet_is_refused(question: Question) -> None:
    for arrivals in ("replay", "bursty"):
        with pytest.raises(InputError, match="--arrivals"):
            _run(replace(question, arrivals=arrivals))
    with pytest.raises(InputError, match="--router"):
        _run(replace(question, router="random"))


def test_the_papers_preset_answers_with_its_warning(question: Question) -> None:
    asked = replace(question, workload="azure-paper", preset="paper", gpus=("a100",), tp=(), pools=(1,))
    answer = _run(replace(asked, demand=Demand(form="rate", rate=1000.0)))
    assert answer.answer is not None
    assert answer.answer.fleet.admission == "reserved"
    assert answer.answer.gpus == 284
    assert any("price of one GPU" in warning for warning in answer.warnings)


def test_finding_no_fleet_costs_more_than_any(question: Question) -> None:
    found = _run(question)
    none = replace(found, verdict="infeasible", answer=None)
    assert costliest([found, none, found]) is none


def test_a_closed_loop_is_answered_at_the_rate_at_which_its_clients_drive_the_answer(question: Question) -> None:
    """N clients that think for Z seconds: X·(R + Z) = N for the very fleet that is shown, and its own figures."""
    clients, think = 300, 10.0
    asked = replace(question, demand=Demand(form="concurrency", concurrency=clients, think=think), slo=Slo(tpot=0.05))
    answer = _run(asked)
    assert answer.answer is not None
    inside = sum(
        pool.replicas * figures.batch
        for pool, figures in zip(answer.answer.fleet.pools, answer.answer.pools, strict=True)
    )
    assert sum(pool.arrival_rate for pool in answer.answer.pools) == pytest.approx(answer.demand.rate)
    assert inside + answer.demand.rate * think == pytest.approx(clients, rel=1e-3)
    assert answer.answer in answer.candidates
