"""The task `simulate`: a fleet as a person wrote it becomes a whole one, scored under a question's traffic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from fleettui import routing
from fleettui.domain.fleet import FleetSketch
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Answer, Candidate, PlanIdentity
from fleettui.domain.scenario import Question
from fleettui.domain.wire import from_plain, to_plain
from fleettui.hardware import catalog
from fleettui.planning.context import Context
from fleettui.planning.tasks.cases import Case, longest_allowed
from fleettui.planning.tasks.caveats import caveats
from fleettui.planning.tasks.demand import rate_of_fleet
from fleettui.planning.tasks.plan import check_supported
from fleettui.planning.tasks.provenance import provenance
from fleettui.planning.tasks.reading import workload_of
from fleettui.planning.tasks.scene import Scene, model_of, profile_of, read


def run(payload: dict[str, Any], context: Context) -> dict[str, Any]:
    """Score the fleet that `sketch` describes under `question`; `format` forces the reader of a trace.

    Returns what the task `plan` returns, its verdict "unproven", the fleet its one candidate.
    """
    sketch = from_plain(FleetSketch, payload["sketch"])
    routing.named(sketch.router)
    question = replace(from_plain(Question, payload["question"]), model=model_of(sketch.pools))
    check_supported(question)
    profiles = tuple(profile_of(pool, question) for pool in sketch.pools)
    question = replace(question, context=question.context or _context(sketch))
    longest = longest_allowed(question, catalog.model(question.model))
    context.progress(f"reading {question.workload or 'the percentiles'}")
    workload = workload_of(question, longest=longest, format=payload.get("format"))
    cases, fleet_context = read(question, workload)
    answers = [_answer(question, sketch, case, fleet_context) for case in cases]
    answer = max(answers, key=_utilization)
    return {
        "answer": asdict(replace(answer, warnings=answer.warnings + caveats(workload, cases, answers))),
        "question": to_plain(question),
        "workload": to_plain(workload),
        "profiles": to_plain(_distinct(profiles)),
        "provenance": to_plain(provenance()),
    }


def _context(sketch: FleetSketch) -> int | None:
    """Return the longest request that the fleet says it serves, None where it does not say."""
    last = sketch.pools[-1]
    return last.up_to if last.up_to is not None else last.context


def _answer(question: Question, sketch: FleetSketch, case: Case, context: int) -> Answer:
    def at(rate: float) -> Candidate:
        scene = Scene(question=question, case=case, rate=rate, context=context)
        return scene.stage(sketch)[0].candidate

    derived = rate_of_fleet(question.demand, case, at)
    candidate = at(derived.rate)
    return Answer(
        verdict="unproven",
        plan=PlanIdentity(name=question.name, seed=question.seed),
        demand=replace(derived, pairing=case.pairing),
        answer=candidate,
        candidates=(candidate,),
    )


def _utilization(answer: Answer) -> float:
    assert answer.answer is not None, "a fleet that is given is the answer"
    return max(pool.utilization for pool in answer.answer.pools)


def _distinct(profiles: Sequence[Profile]) -> tuple[Profile, ...]:
    return tuple({profile.name: profile for profile in profiles}.values())
