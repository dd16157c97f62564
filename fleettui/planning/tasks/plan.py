"""The task `plan`: a question becomes an answer, together with everything that the store keeps of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from fleettui.domain.advice import TURNS, advised_budget
from fleettui.domain.demand import DerivedDemand
from fleettui.domain.fleet import Fleet, counted
from fleettui.domain.hardware import Model, Profile
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.remedy import setting_would_do, with_setting
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import SeenFleet
from fleettui.domain.workload import Workload
from fleettui.hardware import catalog
from fleettui.optimize.costs import taken_by_fleet
from fleettui.optimize.kept_offers import KeptOffers
from fleettui.optimize.offers import NO_ANCHORS, Anchors
from fleettui.optimize.plan import find_plan
from fleettui.planning.fleet_limits import can_be_told
from fleettui.planning.settled import MOST_TRIED
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import confidence, deciding_inputs, redundancy
from fleettui.planning.tasks.confidence import Known, known_by
from fleettui.planning.tasks.demand import MOST_ROUNDS, Finder, answer_demand
from fleettui.planning.tasks.input_warnings import caveats, with_arrivals
from fleettui.planning.tasks.kept_if_simulated import may_keep
from fleettui.planning.tasks.other_settings import OtherSettings
from fleettui.planning.tasks.paired_settings import settings_instead
from fleettui.planning.tasks.posted_prices import posted_prices
from fleettui.planning.tasks.provenance import provenance
from fleettui.planning.tasks.question_workload import workload_of
from fleettui.planning.tasks.recorded_arrivals import with_record
from fleettui.planning.tasks.serving_profiles import profiles_of
from fleettui.planning.tasks.simulation_inputs import Scene, read
from fleettui.planning.tasks.supported import check_compression, check_supported
from fleettui.planning.tasks.sure_fleet import as_sure_as_wished, formula_evidence, in_all_paid, with_better
from fleettui.planning.tasks.tried_advice import Tried, as_poisson
from fleettui.planning.tasks.workload_slices import Case, longest_allowed
from fleettui.planning.walked_shapes import distinct
from fleettui.reports.unused_gpus import unused


def run(context: Context, *, question: Question, format: str | None = None) -> NewPlan:
    """Answer `question`; `format` forces the reader of a trace."""
    asked, question = question, checked(question)
    model = catalog.model(question.model)
    profiles = serving_profiles(question, model)
    context.progress(f"reading {question.workload or 'the percentiles'}")
    workload = workload_of(question, longest=longest_allowed(question, model), format=format)
    cases, fleet_context = read(question, workload)
    cases_within = cases, fleet_context
    answer = answer_cases(question, workload, profiles, cases_within, context, by_formula=not question.verify)
    if answer.answer is None:
        from fleettui.planning.tasks import usual_gpus

        answer = usual_gpus.told(answer, question, workload, context)
    return NewPlan.of(asked, answer, workload=workload, profiles=profiles, provenance=provenance())


def ready(context: Context, *, question: Question) -> bool:
    """Return that what a plan takes is loaded: what this module imports, questions' type, and what profiles rest on."""
    context.check()
    return bool(serving_profiles(question, catalog.model(question.model)))


def checked(question: Question) -> Question:
    """Return a question that this version can plan for, in the papers' terms where it asks for them."""
    question.slo.require_a_limit()
    check_supported(question)
    check_compression(question)
    if question.preset != "paper":
        return question
    from fleettui.planning.tasks.paper_preset import as_in_the_papers

    return as_in_the_papers(question)


def answer_cases(
    question: Question,
    workload: Workload,
    profiles: Sequence[Profile],
    cases_within: tuple[Sequence[Case], int],
    context: Context,
    *,
    anchors: Anchors = NO_ANCHORS,
    own: SeenFleet | None = None,
    by_formula: bool = True,
    advise: bool = True,
) -> Answer:
    """Return the answer for the costliest pairing of a workload, with what a reader must know of the inputs.

    `cases_within` are its pairings, as `read` returns them with the longest request served. `anchors` correct the
    formulas, unless the demand is a closed loop's, whose fleets differ in their rates; of fleets like `own` more is
    known, where longer steps decide. An answer that stands
    `by_formula`, with no simulation to follow, says how sure it is, and is as sure as the question wishes; where that
    is to `advise`, it says what else would take how much, as a proven one does once it is.
    """
    (cases, fleet_context), question = cases_within, with_record(question, workload)
    answers, closed = [], question.demand.form == "concurrency"
    for index, case in enumerate(cases):
        ways = len(cases) if len(cases) > 1 else 0
        context.progress("searching fleets" + (f", lengths paired: {case.pairing}" if ways else ""), index, ways)
        answers.append(answer_case(question, case, profiles, fleet_context, anchors=NO_ANCHORS if closed else anchors))
    answer = costliest(answers)
    case = next(case for case in cases if case.pairing == answer.demand.pairing)
    scene = Scene(
        question=question, case=case, rate=answer.demand.rate, context=fleet_context, profiles=tuple(profiles)
    )
    if closed and question.preset != "paper":  # the papers' engines know no load
        answer = closed_loop(answer, scene, partial(find_fleets, question, case, profiles, fleet_context))
    elif by_formula and question.preset != "paper":
        answer = sure_by_formula(answer, scene, known_by(anchors, own))
    answer = scene.with_warnings(answer)
    tried = tried_of(answer, scene, answer.candidates)
    advice = [*tried.advice(workload)] if by_formula and advise else []
    prices = posted_prices(answer, scene, answer.candidates, anchors)
    told = (
        *tried.told(answer.warnings),
        *(one.told() for one in advice),
        *([prices.told] if prices else []),
        *caveats(question, workload, cases, answers),
    )
    told = (*told, *unused([question], dict(question.max_gpus), {one.gpu for one in profiles}))
    if by_formula and advise:
        find = partial(answer_case, case=case, profiles=profiles, context=fleet_context, anchors=anchors)
        told = (*told, *may_keep(answer, scene, find))
        answer = set_otherwise(answer, scene)
    if answer.answer is None and (poisson := as_poisson(question)) is not None:
        told = (*told, *_beside_poisson(answer_case(poisson, case, profiles, fleet_context, anchors=anchors)))
    answer = replace(answer, warnings=told, advised_budget=advised_budget(advice, question))
    return with_arrivals(answer, question, workload)


def tried_of(answer: Answer, scene: Scene, others: Sequence[Candidate], anchors: Anchors = NO_ANCHORS) -> Tried:
    """Return what tells how an answer stands beside `others`, and tries other questions of a scene on its hardware.

    `anchors` correct the formulas where requests come as they did then. A fleet of the answer's make goes before all
    others: that is what it would grow to. What is asked surer than by nominal step times is sized for that, too.
    """
    profiles, context, sized = scene.profiles, scene.context, KeptOffers(anchors)

    def found(question: Question, own: Sequence[Profile]) -> Answer:
        alike = question.arrivals == scene.question.arrivals
        if question.confidence is None and alike:
            return answer_case(question, scene.case, own, context, anchors=anchors, alone=sized)
        return searched(scene, question, own, anchors if alike else NO_ANCHORS)

    def again(question: Question) -> Answer:
        pools = answer.answer.fleet.pools if answer.answer else ()
        kinds = {(pool.gpu, pool.tp, pool.dtype) for pool in pools}
        alike = [one for one in profiles if (one.gpu, one.tp, one.dtype) in kinds]
        return found(replace(question, pools=(len(pools),)), alike)

    def anew(question: Question) -> Answer:
        own = again(question)
        return found(question, profiles) if own.answer is None else own

    return Tried(
        question=scene.question,
        answer=replace(answer, candidates=tuple(others)),
        again=again,
        anew=anew,
        paid=partial(_paid_for_candidate, scene),
        settings=settings_of(scene, anchors).advice,
    )


def settings_of(scene: Scene, anchors: Anchors = NO_ANCHORS) -> OtherSettings:
    """Return what tries other settings of the engine in a scene; `anchors` correct the formulas."""

    def profiles_for(question: Question, among: Collection[str]) -> Sequence[Profile]:
        return profiles_of(question, catalog.model(question.model), among)

    search, paid = partial(searched, scene), partial(_paid_for_candidate, scene)
    return OtherSettings(scene=scene, anchors=anchors, search=search, profiles_of=profiles_for, paid=paid)


def set_otherwise(answer: Answer, scene: Scene) -> Answer:
    """Return an answer without a fleet that says with which setting of the engine one would do by formula."""
    asked = scene.question
    if answer.answer is not None or not answer.candidates or not can_be_told(asked):
        return answer
    nearest = answer.candidates[0]
    turns = (settings_instead(settings_of(scene), nearest, turn) for turn in TURNS)
    for one in next(filter(None, turns), [])[:1]:
        assert one.found is not None, "it was found"
        answer = replace(answer, why=with_setting(answer.why, setting_would_do(one, one.found), one, asked))
    return answer


def searched(scene: Scene, question: Question, profiles: Sequence[Profile], seen: Anchors) -> Answer:
    """Return the answer to another question in a scene on some profiles, as sure as that wishes."""
    alone = KeptOffers(seen) if question.confidence is None else None
    new = answer_case(question, scene.case, profiles, scene.context, anchors=seen, alone=alone)
    asked = replace(scene, question=question, rate=new.demand.rate, profiles=tuple(profiles))
    return as_sure_as_wished(new, asked, known_by(seen))


def _paid_for_candidate(scene: Scene, one: Candidate) -> int:
    return paid_for(one.fleet, scene)


def paid_for(fleet: Fleet, scene: Scene) -> int:
    """Return the GPUs that a fleet is paid for, those of whole nodes where the scene's question says so."""
    return sum(taken_by_fleet(fleet, scene.profiles, whole_nodes=scene.question.whole_nodes).values())


def best_of(scene: Scene, question: Question) -> Candidate | None:
    """Return the best fleet by formula for another question about a scene's lengths, None where there is none.

    It is as sure as the question wishes. Raises InputError where no hardware serves it.
    """
    profiles = serving_profiles(question, catalog.model(question.model))
    found = answer_case(question, scene.case, profiles, scene.context)
    asked = replace(scene, question=question, rate=found.demand.rate, profiles=profiles)
    return as_sure_as_wished(found, asked, known_by(NO_ANCHORS)).answer


def _beside_poisson(poisson: Answer) -> tuple[str, ...]:
    """Return what holds the same requests where they come as Poisson's, nothing where no fleet does."""
    if poisson.answer is None:
        return ()
    return (f"these arrivals no fleet holds, Poisson's {counted(poisson.answer.gpus)}: --arrivals poisson",)


def serving_profiles(question: Question, model: Model) -> tuple[Profile, ...]:
    """Return the profiles of the question's preset."""
    if question.preset == "paper":
        from fleettui.planning.tasks.paper_preset import paper_profiles

        return paper_profiles(question)
    return profiles_of(question, model)


def answer_case(
    question: Question,
    case: Case,
    profiles: Sequence[Profile],
    context: int,
    *,
    anchors: Anchors = NO_ANCHORS,
    alone: KeptOffers | None = None,
) -> Answer:
    """Return the best fleet for one pairing, at the rate that the question's demand comes to.

    With `alone`, which keeps what was sized for that pairing and those lengths, it is told alone.
    """
    find = partial(find_fleets, question, case, profiles, context, anchors=anchors, alone=alone)
    return answer_demand(question.demand, case, find)


def find_fleets(
    question: Question,
    case: Case,
    profiles: Sequence[Profile],
    context: int,
    derived: DerivedDemand,
    *,
    anchors: Anchors = NO_ANCHORS,
    alone: KeptOffers | None = None,
) -> Answer:
    """Return the best fleet for one pairing at one rate."""
    if question.preset == "paper":
        from fleettui.planning.tasks.paper_preset import answer_as_in_the_papers

        answer = answer_as_in_the_papers(question, case, derived.rate)
    else:
        grid = question.splits or case.grid()
        slices = case.at(derived.rate)
        answer = find_plan(
            question, slices=slices, profiles=profiles, grid=grid, context=context, anchors=anchors, alone=alone
        )
    return replace(answer, demand=replace(derived, pairing=case.pairing))


def closed_loop(answer: Answer, scene: Scene, find: Finder) -> Answer:
    """Return a closed loop's answer at the rate of its own clients.

    Where that is above the rate that was searched for, by the part of a percent to which a search settles, the answer
    may no longer hold; then fleets are searched for at that rate.
    """
    found = at_own_rates(answer, scene)
    for _ in range(MOST_ROUNDS):
        if found.verdict != "fail":
            break
        found = at_own_rates(find(found.demand), scene)
    return found


def at_own_rates(answer: Answer, scene: Scene) -> Answer:
    """Return a closed loop's answer, and the fleets that may be tried next, at the rates of their own clients.

    The search gives all fleets one rate, the busiest that its rounds came to; how fast clients come back depends on
    the fleet that answers them. The verdict is that of the answer's evidence at its own rate, "pass" or "fail".
    """
    if answer.answer is None:
        return answer
    holding = [one for one in answer.candidates if not one.shortfalls]
    own = [(one, *_driven(one, scene)) for one in distinct(holding)[:MOST_TRIED]]
    candidates = tuple(next((new for old, new, _ in own if old == one), one) for one in answer.candidates)
    _, best, demand = next(row for row in own if row[0] == answer.answer)
    assert best.evidence is not None, "the search gives its answer evidence"
    return replace(answer, verdict=best.evidence.verdict, answer=best, candidates=candidates, demand=demand)


def _driven(known: Candidate, scene: Scene) -> tuple[Candidate, DerivedDemand]:
    """Return a fleet at the rate at which its clients drive it, and the demand that this is."""
    sizes = [pool.replicas for pool in known.fleet.pools]
    driven, demand = scene.driven(known.fleet, sizes)
    scored = driven.resize(known.fleet, sizes, ranged=False)[0].candidate
    evidence = None if known.evidence is None else formula_evidence(scored, driven)
    return replace(scored, gpus_range=known.gpus_range, evidence=evidence), demand


def sure_by_formula(answer: Answer, scene: Scene, known: Known) -> Answer:
    """Return an answer by formula with how sure it is and how it stands failures.

    It is of another size or shape where the question wishes it surer.
    """
    wished = scene.question.confidence is not None
    found = as_sure_as_wished(answer, scene, known) if wished else in_all_paid(answer, scene)
    best = found.answer
    if best is None:
        return found
    seen = known(best.fleet)
    decides = deciding_inputs.of_fleet(scene, best.fleet, seen, partial(best_of, scene))
    found = replace(found, decides=next(iter(decides), None))
    found = replace(found, redundancy=redundancy.of_fleet(scene, best.fleet, seen))
    if not best.model_error and not scene.question.ranges:
        return found
    sure = confidence.of_fleet(scene, best.fleet, seen)
    return replace(found, confidence=with_better(sure, answer, best, scene, known))


def costliest(answers: Sequence[Answer]) -> Answer:
    """Return the answer that costs most; one that found no fleet costs more than any."""
    return max(answers, key=lambda answer: answer.answer.cost_per_hour if answer.answer else float("inf"))
