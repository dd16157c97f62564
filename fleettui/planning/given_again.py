"""A fleet that is kept, given to another question: what of a question is left then, and the plan that simulates it."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.fleet import Fleet, FleetSketch
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import ENGINE_VERSION, Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.make_plan import begin
from fleettui.planning.run_job import work_on
from fleettui.planning.studies.study_context import StudyContext
from fleettui.reports.question import conversion
from fleettui.reports.question.conversion import FIT, Texts, Values
from fleettui.reports.question.keys import FIXED_FLEET_KEYS, WORKLOAD

FIXED = frozenset(key.name for key in (WORKLOAD, *FIXED_FLEET_KEYS))
"""The keys of a question about a fleet that is given."""


async def judged(desk: StudyContext, fleet: Fleet, kept: KeptPlan) -> Candidate | None:
    """Return an earlier fleet as simulated at the question of a kept plan, which is kept as a plan of its own.

    It is taken as it was deployed: its longest requests and its step times are today's. None where it is of another
    model, or cannot serve what is asked.
    """
    if any(pool.model != kept.question.model for pool in fleet.pools):
        return None
    sketch = _deployed(fleet)
    try:
        question = conversion.to_question(values_of(kept.question, {}, f"plan {kept.handle}"), sketch)
        new = await desk.run("simulate", NewPlan, sketch=sketch, question=replace(question, name=""), format=None)
    except InputError:
        return None
    return (await simulated(desk, new)).answer


def _deployed(fleet: Fleet) -> FleetSketch:
    """Return what of a fleet is deployed; the rest is worked out anew."""
    sketch = FleetSketch.of(fleet)
    *shorter, longest = (replace(pool, profile=None, concurrency=None, context=None) for pool in sketch.pools)
    return replace(sketch, pools=(*shorter, replace(longest, up_to=None)))


def values_of(question: Question, given: Texts, where: str) -> Values:
    """Return what a kept question says of a fleet that is given, with what is `given` otherwise; raises InputError."""
    texts = conversion.given_at(conversion.to_texts(question), where)
    fit = {} if question.fit is None or FIT in given else {FIT: question.fit}
    kept = {name: texts[name] for name in texts.keys() & FIXED - {FIT}}
    return conversion.parse(conversion.merge([given, kept])) | fit


async def simulated(desk: StudyContext, new: NewPlan) -> Answer:
    """Return the plan of a fleet that is given, which is simulated and kept unless it was before by today's engine.

    Thus the tests of one fleet under one question are a series.
    """
    assert new.answer.answer is not None, "a fleet that is given is the answer"
    for plan in desk.store.plans_of(new.scenario):
        kept = desk.store.plan(plan)
        alike = kept.answer is not None and kept.answer.fleet == new.answer.answer.fleet
        if alike and kept.plan.engine_version == ENGINE_VERSION:
            return kept
    job = begin(desk.store, new, kind="simulate")
    return await work_on(desk.store, job, report=desk.report, pool=desk.workers)
