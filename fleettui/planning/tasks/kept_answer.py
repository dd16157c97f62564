"""The tasks `kept_answer`, `-mixed` and `-plan`: what the formulas answer for lengths and hardware that are kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.provenance import Provenance
from fleettui.domain.scenario import Question
from fleettui.domain.whatif import Outcome
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.planning.kept_inputs import FormulaInputs, key_of, verdict_of
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import answer_cases, checked, serving_profiles
from fleettui.planning.tasks.provenance import provenance
from fleettui.planning.tasks.simulate import fixed_again
from fleettui.planning.tasks.simulation_inputs import profile_of, read


def run(context: Context, *, inputs: FormulaInputs, typed: tuple[str, ...]) -> Outcome:
    """Answer a question by formula for kept lengths on kept hardware.

    Hardware that was not kept is the catalogue's, and so are the prices of the GPUs `typed`, whose kept ones somebody
    wrote. What cannot be served is infeasible, and says why.
    """
    context.check()
    try:
        return outcome(_served(inputs, typed), context)
    except InputError as refusal:
        return Outcome.refused(refusal)


def mixed(context: Context, *, inputs: FormulaInputs, typed: tuple[str, ...]) -> NewPlan:
    """Answer as `run` does, ready to be proven and kept; raises InputError for what cannot be served."""
    served = _served(inputs, typed)
    return NewPlan.of(
        inputs.question,
        _answer(served, Context(cancelled=context.cancelled)),
        workload=served.workload,
        profiles=served.profiles,
        provenance=provenance(),
    )


def of_today(question: Question, fleet: Fleet | None) -> tuple[Profile, ...]:
    """Return the catalogue's hardware that is searched, or that of a `fleet` that was given."""
    if fleet is None:
        return serving_profiles(question, catalog.model(question.model))
    return tuple(profile_of(pool, question) for pool in fleet.pools)


def outcome(inputs: FormulaInputs, context: Context) -> Outcome:
    """Return what the formulas say: the cheapest fleet, or whether the one that was given holds."""
    answer = _answer(inputs, Context(cancelled=context.cancelled))
    if inputs.fleet is None:
        return Outcome.of(answer)
    assert answer.answer is not None, "a fleet that is given is the answer"
    return Outcome.of(replace(answer, verdict=verdict_of(answer.answer, inputs.question)))


def plan(context: Context, *, inputs: FormulaInputs) -> tuple[Answer, Provenance]:
    """Answer a question by formula for kept lengths on kept hardware alone, as the task `plan` does.

    Of a fleet that was given it says what `simulate` does.
    """
    return _answer(answerable(inputs), context), provenance()


def answerable(inputs: FormulaInputs) -> FormulaInputs:
    """Return inputs whose question was checked; that of a fleet that was given needs no limit, as it is looked at."""
    return inputs if inputs.fleet is not None else replace(inputs, question=checked(inputs.question))


def _answer(inputs: FormulaInputs, context: Context) -> Answer:
    question, workload, profiles = inputs.question, inputs.workload, inputs.profiles
    if inputs.fleet is not None:
        return fixed_again(question, inputs.fleet, workload, profiles)
    cases_within = read(question, workload, profiles)
    return answer_cases(
        question,
        workload,
        profiles,
        cases_within,
        context,
        anchors=dict(inputs.anchors),
        by_formula=not question.verify,
    )


def _served(inputs: FormulaInputs, typed: Collection[str]) -> FormulaInputs:
    """Return what the formulas are asked on the hardware that the question asks for."""
    asked = answerable(inputs)
    serving = _serving(asked.question, asked.fleet, asked.profiles, typed)
    taken = () if asked.fleet is not None else tuple(one for one in serving if one.gpu in asked.gpus)
    return replace(asked, profiles=taken or serving)


def _serving(
    question: Question, fleet: Fleet | None, kept: Sequence[Profile], typed: Collection[str]
) -> tuple[Profile, ...]:
    """Return the profiles that a question asks for, each as it was kept where it was, at the prices it names."""
    asked = of_today(question, fleet)
    if question.preset == "paper":
        return asked
    known = {key_of(one): one for one in reversed(kept)}  # the first of equals wins
    theirs = {*typed, *dict(question.prices)}
    return tuple(
        replace(
            question.fronted(found),
            price_per_hour=one.price_per_hour if one.gpu in theirs else found.price_per_hour,
        )
        for one, found in ((one, known.get(key_of(one), one)) for one in asked)
    )
