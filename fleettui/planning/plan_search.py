"""A plan's search by simulation: among the fleets that the formulas found, then past the limits on a fleet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.remedy import largest_share
from fleettui.domain.scenario import Question
from fleettui.domain.size_curve import within_constraints
from fleettui.planning.past_limits import shapes_past_limits
from fleettui.planning.settled import Settled
from fleettui.planning.sized_shapes import Shape
from fleettui.planning.smallest_fleet import settle
from fleettui.planning.walked_shapes import walked_shapes

if TYPE_CHECKING:
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.plan_trials import Trials

Searched = tuple[list[Shape], Settled | None]
"""The shapes with their curves, and where the search among them ended; None where the formulas had none."""


def shapes_of(searched: Sequence[Candidate], plan: Answer, question: Question) -> list[Candidate]:
    """Return the shapes to walk to among those that the formulas' search handed out, best first.

    After them come those that break a constraint, to tell what would do where nothing else does.
    """
    beyond = [one for one in searched if one.shortfalls]
    if plan.answer is None:
        return beyond
    shapes = walked_shapes([one for one in searched if not one.shortfalls], plan.answer, question)
    return shapes if question.demand.form == "concurrency" else [*shapes, *beyond]


async def search(trials: Trials, kept: KeptPlan, shapes: Sequence[Candidate]) -> Searched:
    """Return where the search among the formulas' shapes ends, or that past the limits where it has no answer.

    Where neither has one, it is the one that came nearer to the limits.
    """
    curves = await trials.prover.curves([shape.fleet for shape in shapes])
    pairs = [*zip(shapes, curves, strict=True)]
    within = None if trials.plan.answer is None else await _settled(trials, pairs)
    if within is not None and within.answer is not None:
        return pairs, within
    past = await shapes_past_limits(trials, kept)
    if not past:
        return pairs, within
    found = await _settled(trials, past, past_limits=True)
    nearer = within is None or _share_used(found, trials.question) < _share_used(within, trials.question)
    return (past, found) if nearer or found.answer is not None else (pairs, within)


async def _settled(trials: Trials, shapes: Sequence[Shape], *, past_limits: bool = False) -> Settled:
    """Return where a search ends; what it left open is kept as it is."""
    question, closed = trials.question, trials.question.demand.form == "concurrency"
    settled = await settle(
        shapes,
        trials.look_at,
        max_utilization=math.inf if closed else question.max_utilization,
        objective=question.objective,
        hosts=question.host_power,
        allowed=lambda curves, sizes: within_constraints(curves, sizes, question),
        begin=trials.begin,
        finish=trials.attempt,
        pause=trials.tell_so_far,
        past_limits=past_limits,
    )
    for one in settled.left_open:
        trials.store.add_verification(one.candidate.candidate, one.evidence)
    return settled


def _share_used(settled: Settled, question: Question) -> float:
    """Return how near to the constraints a search came: the largest share that a fleet which holds uses of one.

    It is endless where no fleet holds.
    """
    return math.inf if settled.least is None else largest_share(settled.least.candidate, question)
