"""Past the limits on a fleet: where none that keeps them by formula holds, one may that keeps them as simulated.

The formulas size some fleets larger than they need be; of those a smaller size keeps a limit on money, power or stock
that the one by formula breaks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.domain.plan import Candidate
from fleettui.domain.remedy import has_constraints
from fleettui.domain.size_curve import within_constraints
from fleettui.planning.kept_inputs import FormulaInputs
from fleettui.planning.walk import least_sizes

if TYPE_CHECKING:
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.plan_trials import Trials
    from fleettui.planning.sized_shapes import Shape


async def shapes_past_limits(trials: Trials, kept: KeptPlan) -> list[Shape]:
    """Return the shapes to search among past the constraints of a question, candidates of its plan; best first.

    There are none where it has no constraint, nor where no shape keeps them all at the fewest replicas that the
    utilization limit allows.
    """
    question, prover = trials.question, trials.prover
    if not has_constraints(question):
        return []
    inputs = FormulaInputs(question=question, workload=kept.workload, fleet=None, profiles=kept.profiles)
    found = await prover.workers.run("past_limits", list[Candidate], prover.report, inputs=inputs)
    curves = await prover.curves([one.fleet for one in found])
    pairs = zip(found, curves, strict=True)
    if not any(within_constraints(own, least_sizes(one, question.max_utilization), question) for one, own in pairs):
        return []
    stored = [trials.store.add_candidate(trials.plan.plan.id, one) for one in found]
    return [*zip(stored, curves, strict=True)]
