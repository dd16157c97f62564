"""The task `past_limits`: which fleets a search would walk to if nothing limited what they cost, draw and take."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.plan import Candidate
from fleettui.domain.remedy import each_stock_loosened, least_of_each, without_constraints
from fleettui.optimize.evaluate import broken_constraints
from fleettui.planning.kept_inputs import FormulaInputs
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.kept_answer import plan
from fleettui.planning.walked_shapes import distinct, walked_shapes

MOST_NEAR = 12
"""Fleets at most that are told for having least of what one constraint limits."""


def run(context: Context, *, inputs: FormulaInputs) -> list[Candidate]:
    """Return the formula's fleets for a question whose constraints on the fleet are dropped, best first.

    After those that its plan would walk to come those that have least of what each constraint limits. Each says which
    constraints of the question it breaks. There are none where nothing else than a constraint is in the way.
    """
    asked, free = inputs.question, without_constraints(inputs.question)
    found = _walked(replace(inputs, question=free), context)
    for looser in (*least_of_each(asked), *each_stock_loosened(asked)):
        found += _walked(replace(inputs, question=looser), context)[:MOST_NEAR]
    return [
        replace(one, evidence=None, shortfalls=broken_constraints(one, asked, inputs.profiles))
        for one in distinct(found)
    ]


def _walked(inputs: FormulaInputs, context: Context) -> list[Candidate]:
    answer, _ = plan(context, inputs=inputs)
    holding = [one for one in answer.candidates if not one.shortfalls]
    return [] if answer.answer is None else walked_shapes(holding, answer.answer, inputs.question)
