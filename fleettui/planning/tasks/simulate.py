"""The task `simulate`: a fleet as a person wrote it becomes a whole one, scored under a question's traffic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from fleettui.domain.fleet import Fleet, FleetSketch
from fleettui.domain.hardware import Profile
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, Candidate, PlanIdentity
from fleettui.domain.scenario import Question
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.fit import DoesNotFit
from fleettui.planning.scheduler_checks import check_scheduler
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.demand import rate_of_fleet
from fleettui.planning.tasks.input_warnings import caveats, with_arrivals
from fleettui.planning.tasks.provenance import provenance
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.tasks.recorded_arrivals import with_record
from fleettui.planning.tasks.simulation_inputs import Scene, model_of, profile_of, read
from fleettui.planning.tasks.supported import check_supported
from fleettui.planning.tasks.workload_slices import longest_allowed
from fleettui.reports import fleet_file
from fleettui.routing import named


def run(context: Context, *, sketch: FleetSketch, question: Question, format: str | None = None) -> NewPlan:
    """Score the fleet that `sketch` describes under `question`; `format` forces the reader of a trace.

    The verdict is "unproven", the fleet the one candidate.
    """
    named(sketch.router, "--router")
    question = replace(question, model=model_of(sketch.pools))
    check_supported(question)
    check_scheduler(question, sketch.admission)
    profiles = tuple(_hardware(sketch, index, question) for index in range(len(sketch.pools)))
    question = replace(question, context=question.context or _context(sketch))
    longest = longest_allowed(question, catalog.model(question.model))
    context.progress(f"reading {question.workload or 'the percentiles'}")
    workload = workload_of(question, longest=longest, format=format)
    answer = _costliest(question, workload, (), lambda scene: scene.stage(sketch)[0].candidate)
    return NewPlan.of(question, answer, workload=workload, profiles=_distinct(profiles), provenance=provenance())


def _hardware(sketch: FleetSketch, index: int, question: Question) -> Profile:
    """Return the hardware of a pool; raises InputError, in the words of a fleet's file, where the model does not fit.

    Raises UnknownNameError too.
    """
    try:
        return profile_of(sketch.pools[index], question)
    except DoesNotFit as error:
        raise InputError(
            error.what,
            where=fleet_file.pool_name(sketch, index),
            value=error.value,
            accepted=fleet_file.as_fields(error.accepted),
            remedy=f"{fleet_file.as_fields(error.remedy)}; or say another model: in the pool",
        ) from None


def fixed_again(question: Question, fleet: Fleet, workload: Workload, profiles: tuple[Profile, ...]) -> Answer:
    """Return what `run` said of a fleet that was kept, for the workload and on the hardware that were kept with it."""
    sizes = [pool.replicas for pool in fleet.pools]
    return _costliest(question, workload, profiles, lambda scene: scene.resize(fleet, sizes)[0].candidate)


def _costliest(
    question: Question, workload: Workload, profiles: tuple[Profile, ...], staged: Callable[[Scene], Candidate]
) -> Answer:
    """Return the answer for the pairing that keeps the fleet, as it is `staged` there, busiest."""
    cases, context = read(question, workload, profiles)
    question = with_record(question, workload)
    scenes = [Scene(question=question, case=case, rate=0.0, context=context, profiles=profiles) for case in cases]
    answers = [_answer(scene, staged) for scene in scenes]
    answer, scene = max(zip(answers, scenes, strict=True), key=lambda pair: _utilization(pair[0]))
    answer = scene.with_warnings(answer)
    told = caveats(question, workload, cases, answers, given=True)
    return with_arrivals(replace(answer, warnings=answer.warnings + told), question, workload)


def _context(sketch: FleetSketch) -> int | None:
    """Return the longest request that the fleet says it serves, None where it does not say."""
    last = sketch.pools[-1]
    return last.up_to if last.up_to is not None else last.context


def _answer(scene: Scene, staged: Callable[[Scene], Candidate]) -> Answer:
    def at(rate: float) -> Candidate:
        return staged(replace(scene, rate=rate))

    question, case = scene.question, scene.case
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
    return answer.answer.busiest.utilization


def _distinct(profiles: Sequence[Profile]) -> tuple[Profile, ...]:
    return tuple({profile.name: profile for profile in profiles}.values())
