"""What is to be known beside a joint plan's answer: the risks of its workloads' fleets, and advice."""

from __future__ import annotations

from fleettui.domain.joint import JointPlan, Planned
from fleettui.domain.plan import Answer
from fleettui.reports import redundancy_text
from fleettui.reports.beyond_stock import left_of, marked
from fleettui.reports.unused_gpus import unused


def warnings(plan: JointPlan) -> tuple[str, ...]:
    """Return the entries' risks with their names, one that several share once with all of theirs, and the advice.

    Risks are pools that one failure stops, and warnings. Between them and the advice stands what of the shared prices
    and stocks changes nothing.
    """
    found: dict[str, list[str]] = {}
    for one in plan.planned:
        for warning in () if one.plan is None else redundancy_text.cautions(_beside(one, plan), one.entry.question):
            found.setdefault(warning, []).append(one.entry.name)
    told = (f"{', '.join(names)}: {warning}" for warning, names in found.items())
    stocks, kinds = dict(plan.question.limits.max_gpus), {kind.name for kind in plan.kinds}
    return (*told, *unused([one.question for one in plan.question.entries], stocks, kinds), *plan.advice)


def _beside(one: Planned, plan: JointPlan) -> Answer:
    """Return a workload's plan with what of its advice is beyond what the fleets of the others leave."""
    assert one.plan is not None, "what has no plan advises nothing"
    others = [each.plan.answer for each in plan.planned if each is not one and each.plan is not None]
    taken = ((best.fleet.gpus_by_type, best.cost_per_hour) for best in others if best is not None)
    return marked(one.plan, left_of(plan.question.limits, taken)) if plan.verdict == "pass" else one.plan
