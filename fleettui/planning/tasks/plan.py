"""The task `plan`: a question becomes an answer, together with everything that the store keeps of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from fleettui.domain.hardware import Model, Profile
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import DerivedDemand, Question
from fleettui.domain.wire import from_plain, to_plain
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.optimize.plan import find_plan
from fleettui.planning.context import Context
from fleettui.planning.tasks.cases import Case, longest_allowed
from fleettui.planning.tasks.caveats import caveats
from fleettui.planning.tasks.demand import answer_demand
from fleettui.planning.tasks.preset import answer_as_in_the_papers, as_in_the_papers, paper_profiles
from fleettui.planning.tasks.provenance import provenance
from fleettui.planning.tasks.reading import workload_of
from fleettui.planning.tasks.scene import Scene, read
from fleettui.planning.tasks.serving import profiles_of
from fleettui.planning.walk import MOST_TRIED, distinct


def run(payload: dict[str, Any], context: Context) -> dict[str, Any]:
    """Answer `question`; `format` forces the reader of a trace.

    Returns `answer`, `workload`, `profiles` and `provenance`, as plain values.
    """
    question = from_plain(Question, payload["question"])
    question.slo.require()
    check_supported(question)
    if question.preset == "paper":
        question = as_in_the_papers(question)
    model = catalog.model(question.model)
    profiles = serving_profiles(question, model)
    context.progress(f"reading {question.workload or 'the percentiles'}")
    workload = workload_of(question, longest=longest_allowed(question, model), format=payload.get("format"))
    cases, fleet_context = read(question, workload)
    answers = []
    for index, case in enumerate(cases):
        ways = len(cases) if len(cases) > 1 else 0
        context.progress("searching fleets" + (f", lengths paired: {case.pairing}" if ways else ""), index, ways)
        answers.append(answer_case(question, case, profiles, fleet_context))
    answer = costliest(answers)
    if question.demand.form == "concurrency":
        case = next(case for case in cases if case.pairing == answer.demand.pairing)
        answer = at_own_rates(answer, Scene(question=question, case=case, rate=1.0, context=fleet_context))
    answer = replace(answer, warnings=answer.warnings + caveats(workload, cases, answers))
    return {
        "answer": asdict(answer),  # not to_plain: a candidate that drowns has an infinite wait
        "workload": to_plain(workload),
        "profiles": to_plain(profiles),
        "provenance": to_plain(provenance()),
    }


def check_supported(question: Question) -> None:
    """Raise InputError where the question asks for what this version cannot compute yet."""
    for option, value, known in (("--arrivals", question.arrivals, "poisson"), ("--router", question.router, "length")):
        if value != known:
            raise InputError("this version does not have it", where=option, value=value, accepted=known)


def serving_profiles(question: Question, model: Model) -> tuple[Profile, ...]:
    """Return the profiles of the question's preset."""
    if question.preset == "paper":
        return paper_profiles(question)
    return profiles_of(question, model)


def answer_case(question: Question, case: Case, profiles: Sequence[Profile], context: int) -> Answer:
    """Return the best fleet for one pairing, at the rate that the question's demand comes to."""
    grid = question.splits or case.grid()

    def find(derived: DerivedDemand) -> Answer:
        if question.preset == "paper":
            answer = answer_as_in_the_papers(question, case, derived.rate)
        else:
            answer = find_plan(question, slices=case.at(derived.rate), profiles=profiles, grid=grid, context=context)
        return replace(answer, demand=replace(derived, pairing=case.pairing))

    return answer_demand(question.demand, case, find)


def at_own_rates(answer: Answer, scene: Scene) -> Answer:
    """Return a closed loop's answer, and the fleets that may be tried next, at the rates of their own clients.

    The search gives all fleets one rate, the busiest that its rounds came to; how fast clients come back depends on
    the fleet that answers them.
    """
    if answer.answer is None:
        return answer
    holding = [one for one in answer.candidates if not one.shortfalls]
    own = [(one, *_driven(one, scene)) for one in distinct(holding)[:MOST_TRIED]]
    candidates = tuple(next((new for old, new, _ in own if old == one), one) for one in answer.candidates)
    _, best, demand = next(row for row in own if row[0] == answer.answer)
    return replace(answer, answer=best, candidates=candidates, demand=demand)


def _driven(known: Candidate, scene: Scene) -> tuple[Candidate, DerivedDemand]:
    """Return a fleet at the rate at which its clients drive it, and the demand that this is."""
    sizes = [pool.replicas for pool in known.fleet.pools]
    driven, demand = scene.driven(known.fleet, sizes)
    scored = driven.resize(known.fleet, sizes)[0].candidate
    return replace(scored, gpus_range=known.gpus_range, evidence=known.evidence), demand


def costliest(answers: Sequence[Answer]) -> Answer:
    """Return the answer that costs most; one that found no fleet costs more than any."""
    return max(answers, key=lambda answer: answer.answer.cost_per_hour if answer.answer else float("inf"))
