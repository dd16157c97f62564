"""How sure a joint plan is: of each workload's fleet, and what one would be nine tenths sure of."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from fleettui.domain.confidence import LIKELY, Confidence
from fleettui.domain.joint import JointPlan
from fleettui.domain.plan import Candidate
from fleettui.domain.study import StudyTable, table_of
from fleettui.reports import confidence_text, units
from fleettui.reports.fleet_text import counted
from fleettui.reports.range_words import span
from fleettui.reports.whole_nodes import in_nodes

Row = tuple[str, Candidate, Confidence]
"""A workload's name, its fleet, and how sure that is."""


def rows(plan: JointPlan) -> list[Row]:
    """Return the workloads of which it is known how sure their fleets are."""
    return [
        (one.entry.name, one.plan.answer, one.plan.confidence)
        for one in plan.planned
        if one.plan is not None and one.plan.answer is not None and one.plan.confidence is not None
    ]


def is_nominal(plan: JointPlan) -> bool:
    """Return whether one is too little sure of some fleet for the plan to pass without a word more."""
    return plan.verdict == "pass" and any(confidence_text.is_nominal(sure) for _, _, sure in rows(plan))


def sure_table(plan: JointPlan) -> StudyTable:
    """Return a row per workload: how sure its GPUs suffice, and with how many it is as good as sure."""
    return table_of(
        "How sure",
        rows(plan),
        ("name", "text", lambda row: row[0]),
        ("gpus", "count", lambda row: row[1].gpus),
        ("holds", "share", lambda row: confidence_text.reached(row[2].holds)),
        ("gpus_likely", "count", lambda row: row[2].best_gpus),
        ("cost_likely", "dollars per hour", lambda row: row[2].best_cost),
        note=f"holds: how sure, {_over(plan)}; likely: what makes it {LIKELY:.0%}{_beyond(plan)}",
    )


def _beyond(plan: JointPlan) -> str:
    """Return whose fleet that is as good as sure is beyond the limits by itself; others keep to them."""
    found = []
    for name, best, sure in rows(plan):
        likely = _likely(best, sure)
        over = [] if likely is None else _broken(plan, *likely)
        found += [f"; that of {name} is beyond {' and '.join(over)}"] if over else []
    return "".join(found)


def _over(plan: JointPlan) -> str:
    """Return over what it is told how sure the fleets are: the step times of all, and what was typed as a range."""
    typed = ((name, ", ".join(map(span, sure.ranges))) for name, _, sure in rows(plan) if sure.ranges)
    return "; ".join((f"over {confidence_text.STEP_TIMES}", *(f"of {name} also {spans}" for name, spans in typed)))


def sentences(plan: JointPlan) -> tuple[str, ...]:
    """Return what makes each workload's fleet as good as sure, all together, and whether the limits hold it."""
    known = rows(plan)
    if not known or len(known) < len(plan.planned):
        return ()
    told = least_sure(known)
    each = [_likely(best, sure) for _, best, sure in known]
    needed = [one for one in each if one is not None]
    if len(needed) < len(each):
        return (told,)
    total = sum((gpus for gpus, _ in needed), Counter[str]())
    cost = math.fsum(cost for _, cost in needed)
    counts: Mapping[str, int] = total
    if plan.question.limits.whole_nodes:
        counts, cost = _in_whole_nodes(plan, total, cost)
    fits = "within all limits" if not (over := _broken(plan, counts, cost)) else f"beyond {' and '.join(over)}"
    likely = units.percent(LIKELY)
    words = f"{_counted(counts)} ({units.dollars_per_hour(cost)})"
    paid = {kind.name: count for kind, count in zip(plan.kinds, plan.joint.paid, strict=True)}
    if plan.question.limits.whole_nodes and all(count <= paid.get(gpu, 0) for gpu, count in counts.items()):
        names = ", ".join(f"{name} {_counted(gpus)}" for (name, _, _), (gpus, _) in zip(known, needed, strict=True))
        return (told, f"to be {likely} sure of each costs nothing more, in the nodes that are paid for: about {names}")
    return (told, f"to be {likely} sure of each, about {words}, {fits}")


def least_sure(known: Sequence[Row]) -> str:
    """Return of which workload's fleet one is least sure, and how sure."""
    name, best, sure = min(known, key=lambda row: row[2].holds)
    return f"the least sure is {name}: {confidence_text.told(sure, best)}"


def _counted(gpus: Mapping[str, int]) -> str:
    return counted(sorted(gpus.items()))


def _likely(best: Candidate, sure: Confidence) -> tuple[Counter[str], float] | None:
    """Return GPUs by type and US dollars an hour of what suffices in LIKELY of the cases, None where nothing does."""
    if sure.holds >= LIKELY:
        return Counter(best.fleet.gpus_by_type), best.cost_per_hour
    if sure.instead is not None:
        return Counter(sure.instead.fleet.gpus_by_type), sure.instead.cost
    if sure.replicas is None or sure.cost is None:
        return None
    total = Counter[str]()
    for pool, count in zip(best.fleet.pools, sure.replicas, strict=True):
        total[pool.gpu] += (count + pool.spares) * pool.gpus_per_replica
    return total, sure.cost


def _in_whole_nodes(plan: JointPlan, total: Mapping[str, int], cost: float) -> tuple[Mapping[str, int], float]:
    """Return GPUs by type and what they cost where whole nodes are paid for, which the workloads share."""
    kinds = {kind.name: kind for kind in plan.kinds}
    paid = Counter(in_nodes(total, plan.kinds))
    return paid, cost + sum((paid[gpu] - count) * kinds[gpu].price for gpu, count in total.items())


def _broken(plan: JointPlan, counts: Mapping[str, int], cost: float) -> list[str]:
    """Return the shared limits that so many GPUs at this cost would break."""
    limits = plan.question.limits
    found = [
        f"the stock of {gpu.upper()} ({counts[gpu]} of {most})" for gpu, most in limits.max_gpus if counts[gpu] > most
    ]
    total = sum(counts.values())
    if limits.max_total_gpus is not None and total > limits.max_total_gpus:
        found.append(f"the GPUs of all types ({total} of {limits.max_total_gpus})")
    if limits.budget is not None and cost > limits.budget:
        found.append(f"the budget ({units.dollars_per_hour(cost)} of {units.dollars_per_hour(limits.budget)})")
    return found
