"""Past the limits on a fleet: fleets that break one at their size by formula, and may keep it as simulated.

The formulas size some fleets larger than they need be; of those a smaller size keeps a limit on money, power or stock
that the one by formula breaks. That is the way out where nothing within the limits holds, and may be better than what
does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.remedy import has_constraints
from fleettui.domain.scenario import Question
from fleettui.domain.size_curve import within_constraints
from fleettui.planning.kept_inputs import FormulaInputs
from fleettui.planning.settled import Settled
from fleettui.planning.sized_shapes import Shape
from fleettui.planning.walk import least_sizes
from fleettui.planning.walked_shapes import kinds_and_sizes
from fleettui.planning.worth import worth_of_sizes

if TYPE_CHECKING:
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.plan_trials import Trials

ROUNDING = 1e-9


async def shapes_past_limits(
    trials: Trials, kept: KeptPlan, within: Sequence[Candidate], found: Settled
) -> list[Shape]:
    """Return the shapes to search among past the constraints of a question, candidates of its plan; best first.

    They may be better than what is `found`, and are not among those `within` it then. There are none where the question
    has no constraint, nor where no shape keeps them all at the fewest replicas that the utilization limit allows.
    """
    question, prover = trials.question, trials.prover
    if not has_constraints(question) or not _binds(trials.plan):
        return []
    inputs = FormulaInputs(question=question, workload=kept.workload, fleet=None, profiles=kept.profiles)
    shapes = await prover.workers.run("past_limits", list[Candidate], prover.report, inputs=inputs)
    if found.answer is not None:
        known = {*map(kinds_and_sizes, within)}
        shapes = [one for one in shapes if kinds_and_sizes(one) not in known]
    pairs = [*zip(shapes, await prover.curves([one.fleet for one in shapes]), strict=True)]
    better = [pair for pair in pairs if _may_be_better(pair, found, question)]
    if found.answer is None and better:
        better = pairs
    return [(trials.store.add_candidate(trials.plan.plan.id, one), curves) for one, curves in better]


def _binds(plan: Answer) -> bool:
    """Return whether some fleet breaks a constraint by formula."""
    return any(one.shortfalls for one in plan.candidates)


def _may_be_better(shape: Shape, found: Settled, question: Question) -> bool:
    """Return whether a shape keeps the constraints at its fewest replicas, and is better there than what is found."""
    candidate, curves = shape
    sizes = least_sizes(candidate, question.max_utilization)
    best = math.inf if found.answer is None else found.worth(found.answer.candidate)
    least = worth_of_sizes(question.objective, curves, sizes, question.host_power, compressor=candidate.compressor_cost)
    return least < best * (1.0 - ROUNDING) and within_constraints(curves, sizes, question)
