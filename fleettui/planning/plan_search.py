"""A plan's search by simulation: among the fleets that the formulas found, then past the limits on a fleet.

Where nothing holds then of which as much is known as of the formulas' choice, fleets that it set aside are searched,
and where they cost less than what holds to be as good as sure, too; what is known better, where that does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.remedy import keeps_constraints, largest_share
from fleettui.domain.scenario import Question
from fleettui.domain.size_curve import constraints_broken
from fleettui.planning.better_known import Among, surer_for_less
from fleettui.planning.finer_splits import finer_splits
from fleettui.planning.less_known import cheaper_over_error
from fleettui.planning.past_limits import shapes_past_limits
from fleettui.planning.settled import Settled
from fleettui.planning.sized_shapes import Shape
from fleettui.planning.smallest_fleet import More, settle
from fleettui.planning.walked_shapes import walked_shapes
from fleettui.planning.worth import worth_of

if TYPE_CHECKING:
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.plan_trials import Trials

Searched = tuple[list[Shape], Settled | None]
"""The shapes with their curves, and where the search among them ended; None where there were none to search among."""


def shapes_of(searched: Sequence[Candidate], plan: Answer, question: Question) -> list[Candidate]:
    """Return the shapes to walk to among those that the formulas' search handed out, best first.

    After them come those that break a constraint, to tell what would do where nothing else does.
    """
    beyond = [one for one in searched if one.shortfalls]
    if plan.answer is None:
        return beyond
    shapes = walked_shapes([one for one in searched if not one.shortfalls], plan.answer, question)
    return shapes if question.demand.form == "concurrency" else [*shapes, *beyond]


def set_aside(searched: Sequence[Candidate], plan: Answer, question: Question) -> list[Candidate]:
    """Return the shapes within the limits that stand aside beside the formulas' choice, which is known much better."""
    best = plan.answer
    if best is None:
        return []
    aside = [one for one in searched if not one.shortfalls and question.sets_aside(one, best)]
    return walked_shapes(aside, best, question)


async def search(trials: Trials, kept: KeptPlan, shapes: Sequence[Candidate], aside: Sequence[Candidate]) -> Searched:
    """Return where the search ends among the formulas' shapes, then among those that divide more finely near them.

    Past the limits it goes on among those that may be better, and where nothing holds that is known as well as the
    formulas' choice, among those that were set `aside` for it: what holds is an answer, if nothing better known does.
    Where what was set aside costs less than the fleet that this ends with, to be as good as sure, too, it is the
    answer, or what costs less yet of all that is known as well; where what is known better does, the best of that.

    Where the formulas have no fleet that keeps the limits there are only those past them.
    """
    pairs: list[Shape] = []
    if trials.plan.answer is not None:
        curves = await trials.prover.curves([shape.fleet for shape in shapes])
        pairs += zip(shapes, curves, strict=True)

    async def past_limits(found: Settled) -> list[Shape]:
        more = await shapes_past_limits(trials, kept, [shape for shape, _ in pairs], found)
        pairs[:] = [*(pairs if found.answer is not None or not more else ()), *more]
        return more

    async def finer(found: Settled, among: Sequence[Shape] = pairs) -> list[Shape]:
        more = await finer_splits(trials, found, [shape for shape, _ in among])
        pairs.extend(more)
        return more

    async def less_known(found: Settled) -> list[Shape]:
        best, chosen = None if found.answer is None else found.answer.candidate, trials.plan.answer
        rivals = aside if chosen is None else rivals_of(aside, best, chosen, trials.question)
        more = [*zip(rivals, await trials.prover.curves([one.fleet for one in rivals]), strict=True)] if rivals else []
        pairs.extend(more)
        return more

    settled = await _settled(trials, [*pairs], finer, past_limits, less_known)
    more, settled = await cheaper_over_error(
        trials, aside, settled, lambda own, rivals: _settled(trials, own, less_known=rivals)
    )

    async def alone(own: Sequence[Shape]) -> Settled:
        return await _settled(trials, own, partial(finer, among=own))

    settled = await surer_for_less(trials, [*pairs, *more], settled, alone)
    settled = await _divided_finer(more, settled, alone)
    return [*pairs, *more], settled if settled.walks else None


async def _divided_finer(aside: Sequence[Shape], settled: Settled, alone: Among) -> Settled:
    """Return where a search ends whose answer is of GPU types set `aside`, once these divide more finely, too.

    That they cost no more to be as good as sure than what is known better was shown by their fleets that divide as the
    grid does, whatever those show by themselves that cost less.
    """
    best = settled.answer
    own = None if best is None else best.candidate.fleet.gpus_by_type.keys()
    alike = [one for one in aside if one[0].fleet.gpus_by_type.keys() == own]
    if not alike:
        return settled
    found = await alone(alike)
    after = replace(found, walks=(*found.walks, *settled.walks), aside=settled.aside)
    return replace(after, tried=settled.tried + len(after.simulated) - len(settled.simulated))


def rivals_of(
    aside: Sequence[Candidate], best: Candidate | None, chosen: Candidate, question: Question
) -> Sequence[Candidate]:
    """Return the shapes set aside beside the formulas' choice that rival the best that holds: all where none does."""
    if best is None:
        return aside
    return [one for one in aside if not question.sets_aside(one, best)] if question.sets_aside(best, chosen) else ()


def kept_by_looks(answer: Answer, question: Question) -> list[Candidate]:
    """Return the best fleet that looks at an answer's rate showed to hold within all limits on a fleet, if any did."""
    rate = answer.demand.rate
    holding = [
        look.candidate
        for look in answer.looks
        if look.rate == rate and look.holds and keeps_constraints(look.candidate, question)
    ]
    return sorted(holding, key=worth_of(question.objective, question.host_power))[:1]


async def search_among(trials: Trials, fleets: Sequence[Candidate]) -> Searched:
    """Return where a search ends among fleets that were seen to hold elsewhere, each stored with the plan."""
    shapes = [trials.store.add_candidate(trials.plan.plan.id, replace(one, evidence=None)) for one in fleets]
    pairs = [*zip(shapes, await trials.prover.curves([one.fleet for one in shapes]), strict=True)] if shapes else []
    return pairs, await _settled(trials, pairs) if pairs else None


async def _settled(
    trials: Trials,
    shapes: Sequence[Shape],
    finer: More | None = None,
    past_limits: More | None = None,
    less_known: More | None = None,
) -> Settled:
    """Return where a search ends; what it left open is kept as it is."""
    question, closed = trials.question, trials.question.demand.form == "concurrency"
    settled = await settle(
        shapes,
        trials.look_at,
        max_utilization=math.inf if closed else question.max_utilization,
        objective=question.objective,
        hosts=question.host_power,
        broken=lambda curves, sizes: constraints_broken(curves, sizes, question),
        begin=trials.begin,
        finish=trials.attempt,
        pause=trials.tell_so_far,
        share=lambda one: largest_share(one, question),
        finer=finer,
        past_limits=past_limits,
        less_known=less_known,
    )
    for one in settled.left_open:
        trials.store.add_verification(one.candidate.candidate, one.evidence)
    return settled
