"""How sure the answer of a search is to be: the fleet that is as sure as wished, and what would be as good as sure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from fleettui.domain.confidence import AS_MUCH, LIKELY, Confidence, SureFleet
from fleettui.domain.limiting import LONGER_STEPS
from fleettui.domain.plan import WITHOUT, Answer, Candidate, Look, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import of_one_each
from fleettui.domain.size_curve import fills_nodes
from fleettui.planning import confidence_reasons, proof_reasons
from fleettui.planning.anchors import kinds_of
from fleettui.planning.dared_fleets import Dares
from fleettui.planning.fleet_limits import FleetLimits
from fleettui.planning.plan_trials import Trials
from fleettui.planning.prove import Prover
from fleettui.planning.settled import Settled
from fleettui.planning.sized_shapes import (
    MOST_SURE,
    Option,
    Shape,
    beside,
    better,
    has_other_types,
    needs_more,
    simulated_alike,
    with_alike,
)
from fleettui.planning.surer_splits import surer_splits
from fleettui.planning.surest_fleet import Decision, Wishes
from fleettui.planning.surest_rate import NEARLY, how_sure, looked_as_loaded, may_hold
from fleettui.planning.trial import Trial
from fleettui.planning.walk import Sizes
from fleettui.planning.walked_shapes import worth_a_walk
from fleettui.planning.worth import best_first, cost

MOST_SEEN = 4
"""Shapes at most that would be as good as sure and are simulated where longer steps decide."""
MOST_ASIDE = 60
"""Shapes at most, with those of one pool, that the search set aside and that are asked to be as good as sure."""
MOST_EQUAL, MOST_HELD = 12, 2
"""Shapes at most of equal cost that are asked to be surer, and fleets of these at most that are simulated for it."""
SHARES, SURER = (LIKELY, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6), 0.05
"""Shares of the cases that a fleet of equal cost is asked for, and by how much it is to be surer to be told."""
ROUNDING = 1e-9


async def as_sure_as_wished(
    trials: Trials, shapes: Sequence[Shape], settled: Settled
) -> tuple[Trial, Verdict, tuple[str, ...], Sequence[Candidate], Sequence[Look]]:
    """Return the fleet that a search came to, its verdict and the reasons; the one that is as sure as wished.

    Where none is, the search's own fails for that. What its best rival without its GPU types comes to is left to be
    told in its place once that is known. Last come the fleets that were simulated for the wish, and the looks
    that were taken for it at other rates.
    """
    question, nominal = trials.question, settled.answer or settled.nearest
    reasons = proof_reasons.reasons(settled, question)
    if question.confidence is None or settled.answer is None:
        return nominal, nominal.verdict, reasons, (), ()
    wished = question.confidence

    async def decide(fleet: Candidate, seen: Sequence[Candidate], before: Sequence[Look]) -> Decision:
        plan = replace(trials.plan, candidates=(*seen,))
        return await _decided(trials.prover, plan, fleet, before, wished)

    async def look_at(
        shape: Candidate, sizes: Sizes, seen: Sequence[Candidate], before: Sequence[Look]
    ) -> Sequence[Look]:
        fleet = (await trials.prover.stage(shape.fleet, sizes)).candidate
        limits = _limits(trials.prover, replace(trials.plan, candidates=(*seen,)), fleet, before)
        looks = await looked_as_loaded(limits, wished)
        if not looks or not all(look.holds for look in looks) or not await may_hold(limits, wished):
            return looks
        more, _ = await _shown(limits)
        return [*looks, *more]

    async def divide(shapes: Sequence[Shape], best: Option | None, seen: Sequence[Candidate]) -> list[Shape]:
        return await surer_splits(trials, sized, shapes, best, seen)

    sized = trials.sized_for(wished)
    nearly = replace(trials.sized_for(wished - NEARLY), looks=sized.looks)
    longer = replace(trials, larger=LONGER_STEPS)
    wishes = Wishes(sized, longer.attempt, decide, Dares(sized, nearly, look_at), divide)
    found, more = await wishes.surest(shapes, settled), (wishes.tried, wishes.sized.looks)
    if found is None and wishes.left_off and wishes.simulated:
        return nominal, "fail", (confidence_reasons.left_off(question, wishes.simulated),), *more
    if found is None:
        other = await wishes.sized.unconstrained(shapes, [*settled.simulated, *wishes.tried])
        nearest = None if other is None else (await trials.prover.stage(other.shape.fleet, other.sizes)).candidate
        return nominal, "fail", (confidence_reasons.none(question, nearest),), *more
    if found.candidate.candidate != nominal.candidate.candidate:
        reasons = (confidence_reasons.sized(question, nominal.candidate),)
    reasons = (*reasons, *confidence_reasons.little_known(found.candidate, trials.plan.candidates, question))
    return found, found.verdict, (*reasons, *_untried(wishes), WITHOUT), *more


def _untried(wishes: Wishes) -> tuple[str, ...]:
    """Return what may be as sure and cheaper and was not looked at, nothing where there is no such fleet."""
    if wishes.untried is None:
        return ()
    left, saving = wishes.untried
    return (confidence_reasons.untried(left.shape.fleet, left.sizes, saving),)


def as_wished(plan: Answer, question: Question) -> Answer:
    """Return a plan by formula without the reason that says what other GPU types cost at the step times predicted.

    It stays where no confidence is wished.
    """
    if question.confidence is None:
        return plan
    return replace(plan, why=tuple(one for one in plan.why if not one.startswith(WITHOUT)))


async def _decided(prover: Prover, plan: Answer, fleet: Candidate, before: Sequence[Look], wished: float) -> Decision:
    """Return what more is simulated where longer steps decide, of a fleet or else of one with a replica fewer.

    The latter is looked at where it may be as sure as `wished`, and costs less where whole nodes are filled. No looks
    are returned where all of that was seen.
    """
    enough, needs = True, None
    sizes = [pool.replicas for pool in fleet.fleet.pools]
    smaller = [[*sizes[:one], size - 1, *sizes[one + 1 :]] for one, size in enumerate(sizes) if size > 1]
    for own in (sizes, *smaller):
        other = fleet if own is sizes else (await prover.stage(fleet.fleet, own)).candidate
        if own is not sizes and fills_nodes(prover.question) and cost(other) >= cost(fleet):
            continue
        limits = _limits(prover, plan, other, before)
        if own is sizes or await may_hold(limits, wished):
            found, sure = await _shown(limits)
            if own is sizes:
                enough = sure is None or sure.holds >= wished - AS_MUCH
                needs = None if enough or sure is None else _more(sizes, sure.replicas)
            if found:
                return Decision(found, enough, needs)
            if not enough:
                break
    return Decision((), enough, needs)


def _more(sizes: Sequence[int], likely: Sequence[int] | None) -> tuple[int, ...]:
    """Return more replicas than these, which are too few: those that suffice in most cases, or one more of each."""
    enough = tuple(max(pair) for pair in zip(sizes, likely or sizes, strict=True))
    return enough if enough != tuple(sizes) else tuple(size + 1 for size in sizes)


def _limits(prover: Prover, plan: Answer, fleet: Candidate, looks: Sequence[Look]) -> FleetLimits:
    """Return the limits of a fleet that need not be the plan's answer."""
    return prover.limits(replace(plan, answer=fleet), fleet, looks)


async def _shown(limits: FleetLimits) -> tuple[Sequence[Look], Confidence | None]:
    """Return the looks that had to be taken to tell how sure a fleet is, and that."""
    known = len(limits.looks)
    sure = await how_sure(limits, sizes=False)
    return limits.looks[known:], sure


async def with_any_gpus(trials: Trials, shapes: Sequence[Shape], found: Sequence[Candidate], answer: Answer) -> Answer:
    """Return the same as `with_better`, the fleets among those `found` that the search set aside looked at, too.

    What is sized to be as good as sure pays for what is not known of its hardware, as a plan for a wished confidence
    does. Those that cost as much as what is told so far do not cost less for that.
    """
    best, sure, question = answer.answer, answer.confidence, trials.question
    if best is None or sure is None or not needs_more(sure, question):
        return answer
    most = math.inf if sure.best_cost is None or question.objective != "cost" else sure.best_cost
    aside = [one for one in found if question.sets_aside(one, best) and cost(one) < most]
    if not aside:
        return answer
    fleets = worth_a_walk(best_first(aside, question.objective, question.host_power), MOST_ASIDE)
    curves = await trials.prover.curves([one.fleet for one in fleets])
    told = await with_better(trials, shapes, answer, [*zip(fleets, curves, strict=True)])
    after = told.confidence
    if after is None or after.instead == sure.instead:
        return answer
    return replace(told, confidence=replace(after, better_known=sure.instead))


async def with_better(
    trials: Trials,
    shapes: Sequence[Shape],
    answer: Answer,
    aside: Sequence[Shape] = (),
    *,
    looks: Sequence[Look] = (),
    most: int = MOST_SEEN,
) -> Answer:
    """Return an answer with the fleet of another shape that is as good as sure where that is clearly better.

    It stays as it is where the fleet is as sure as was wished. The MOST_SURE best shapes and those of one pool are
    looked at, by formula as what was simulated corrects it, and those that the search set `aside`, and of the fleet's
    own replicas all that it simulated; the best is simulated where longer steps decide. After `most` that were, it is
    the best of those that are as good as sure, or else the best as these and other `looks` correct the formulas.
    """
    best, sure, question = answer.answer, answer.confidence, trials.question
    if best is None or sure is None or not needs_more(sure, question):
        return answer
    own = next((one for one in shapes if kinds_of(one[0]) == kinds_of(best)), None)
    if own is None:
        return answer
    worth = {one.candidate for one in worth_a_walk([one for one, _ in shapes], MOST_SURE)}
    divided = simulated_alike(shapes, best, answer.candidates) if most else set[str]()
    others = [*(one for one in shapes if one is not own and one[0].candidate in worth | divided), *aside]
    sized, likely = trials.sized_for(LIKELY, err_alike=True), list[SureFleet]()
    sized.looks.extend(looks)
    for before in range(most + 1):
        other = better(await sized.options(others, answer.candidates), own, sure, question)
        if other is None:
            return answer
        seen = (await trials.prover.stage(other.shape.fleet, other.sizes)).candidate
        found = beside(best, seen, other.curves, question)
        if before == most:
            found = next(iter(likely), found)
            told = most == 0 or found.cost > cost(best) * (1.0 + ROUNDING)  # else it were to be proven, as the answer
            return replace(answer, confidence=replace(sure, instead=found)) if told else answer
        shown, its = await _shown(_limits(trials.prover, trials.plan, seen, sized.looks))
        if not shown:
            return replace(answer, confidence=replace(sure, instead=found))
        sized.looks.extend(shown)
        likely += [found] if its is not None and its.is_likely else []
    return answer


async def with_division_of_types(trials: Trials, shapes: Sequence[Shape], answer: Answer) -> Answer:
    """Return an answer with what else of its GPU types is as good as sure for less, where it tells of others alone.

    That is by formula, as what was simulated corrects it.
    """
    best, sure = answer.answer, answer.confidence
    if best is None or sure is None or not has_other_types(sure, best):
        return answer
    own = best.fleet.gpus_by_type.keys()
    alike = [one for one in shapes if one[0].fleet.gpus_by_type.keys() == own]
    told = await with_better(
        trials, alike, replace(answer, confidence=replace(sure, instead=None)), looks=answer.looks, most=0
    )
    found = None if told.confidence is None else told.confidence.instead
    return replace(answer, confidence=with_alike(sure, found))


async def with_others_of_plan(trials: Trials, answer: Answer) -> Answer:
    """Return the answer of a verified candidate with what of its plan is as good as sure for less, told in that way."""
    best, sure, question = answer.answer, answer.confidence, trials.question
    if best is None or sure is None or not needs_more(sure, question):
        return answer
    holding = [one for one in trials.plan.candidates if not one.shortfalls and not question.sets_aside(one, best)]
    ranked = best_first(holding, question.objective, question.host_power)
    own = best.fleet.gpus_by_type.keys()
    alike = worth_a_walk([one for one in ranked if one.fleet.gpus_by_type.keys() == own], MOST_SURE)
    fleets = [best, *{one.candidate: one for one in (*worth_a_walk(ranked, MOST_SURE), *alike)}.values()]
    shapes = [*zip(fleets, await trials.prover.curves([one.fleet for one in fleets]), strict=True)]
    return await with_division_of_types(trials, shapes, await with_better(trials, shapes, answer, most=0))


async def surer_of_equals(trials: Trials, shapes: Sequence[Shape], answer: Answer) -> Trial | None:
    """Return the surest fleet of another shape that costs no more than an answer that passes, where it is surer.

    It is simulated. None where what is surer costs more, is set aside as much less is known of it, or does not hold.
    """
    best, sure, question = answer.answer, answer.confidence, trials.question
    if best is None or sure is None or answer.verdict != "pass" or question.objective != "cost":
        return None
    most = cost(best) * (1.0 + ROUNDING)
    if sure.instead is not None and sure.instead.cost <= most:
        fleet = sure.instead.fleet
        shape = next((one for one, _ in shapes if of_one_each(one.fleet) == of_one_each(fleet)), None)
        return None if shape is None else await _held(trials, shape, tuple(pool.replicas for pool in fleet.pools))
    if not needs_more(sure, question):
        return None
    known = [one for one in shapes if not question.sets_aside(one[0], best)]
    alike = (one for one in known if cost(one[0]) <= most and kinds_of(one[0]) != kinds_of(best))
    equals = [*islice(alike, MOST_EQUAL)]
    for share in SHARES if equals else ():
        if share < sure.holds + SURER:
            break
        found = await trials.sized_for(share, err_alike=True).options(equals, answer.candidates)
        surer = [one for one in found if one.worth <= most]
        if surer:
            return await _first_held(trials, surer[:MOST_HELD])
    return None


async def _first_held(trials: Trials, options: Sequence[Option]) -> Trial | None:
    for one in options:
        trial = await _held(trials, one.shape, one.sizes)
        if trial is not None:
            return trial
    return None


async def _held(trials: Trials, shape: Candidate, sizes: Sizes) -> Trial | None:
    trial = await trials.attempt(shape, sizes)
    return trial if trial.good else None
