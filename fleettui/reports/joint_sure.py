"""How sure a joint plan is: of each workload's fleet, and what one would be nine tenths sure of."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from fleettui.domain.confidence import LIKELY, Confidence
from fleettui.domain.joint import JointPlan, JointQuestion
from fleettui.domain.plan import Candidate
from fleettui.domain.study import StudyTable, table_of
from fleettui.domain.surer_together import SureTogether
from fleettui.reports import confidence_text, fleet_text, units
from fleettui.reports.fleet_text import counted
from fleettui.reports.range_words import span
from fleettui.reports.shared_amounts import beyond, broken
from fleettui.reports.verdict_words import ABOUT, NOMINAL
from fleettui.reports.whole_nodes import in_nodes

SURE, SUREST = "How sure", "The surest within the limits"
"""Tables of how sure fleets are."""
NOT_SOUGHT = "others within were not looked for"
"""What is said where a search was cut short before it asked what the limits let all be."""
Row = tuple[str, Candidate, Confidence]
"""A workload's name, its fleet, and how sure that is."""


def rows(plan: JointPlan) -> list[Row]:
    """Return the workloads of which it is known how sure their fleets are."""
    return [
        (one.entry.name, one.plan.answer, one.plan.confidence)
        for one in plan.planned
        if one.plan is not None and one.plan.answer is not None and one.plan.confidence is not None
    ]


def how_sure(plan: JointPlan) -> str:
    """Return what stands behind a verdict: how sure each is to be, or that all pass at nominal speed only."""
    if plan.verdict == "pass" and (share := wished(plan.question)):
        return f", {share},"
    return f" {NOMINAL}," * is_nominal(plan)


def wished(question: JointQuestion) -> str:
    """Return how sure all fleets are to be, in words; empty where that is not wished of each."""
    shares = [one.question.confidence for one in question.entries]
    known = sorted({one for one in shares if one is not None})
    return "" if None in shares else f"each {' or '.join(map(units.percent, known))} sure"


def is_nominal(plan: JointPlan) -> bool:
    """Return whether one is too little sure of some fleet for the plan to pass without a word more."""
    unsure = any(confidence_text.is_nominal(sure) for _, _, sure in rows(plan))
    return plan.verdict == "pass" and unsure and not wished(plan.question)


def tables(plan: JointPlan) -> Iterator[StudyTable]:
    """Yield a row per workload: how sure its GPUs suffice, and what is surer; then the surest within the limits."""
    within = _likely_within(plan)
    likely = f"likely: what makes {'all' if within else 'it'} {LIKELY:.0%}"
    limits = " together, within the limits" if within else _beyond(plan)
    yield table_of(
        SURE,
        rows(plan),
        ("name", "text", lambda row: row[0]),
        ("gpus", "count", lambda row: row[1].gpus),
        ("holds", "share", lambda row: confidence_text.reached(row[2].holds)),
        ("gpus_likely", "count", lambda row: within[row[0]].gpus if within else row[2].best_gpus),
        ("cost_likely", "dollars per hour", lambda row: within[row[0]].cost_per_hour if within else row[2].best_cost),
        note=f"holds: how sure, {_over(plan)}; {likely}{limits}",
    )
    yield table_of(
        SUREST,
        () if plan.surer is None else plan.surer.fleets,
        ("name", "text", lambda row: row[0]),
        ("fleet", "text", lambda row: fleet_text.fleet(row[1].fleet)),
        ("gpus", "count", lambda row: row[1].gpus),
        ("cost", "dollars per hour", lambda row: row[1].cost_per_hour),
        ("holds", "share", lambda row: confidence_text.reached(row[2].holds)),
    )


def _likely_within(plan: JointPlan) -> Mapping[str, Candidate]:
    """Return by workload the fleets within the limits that are as good as sure, none where none were found."""
    found = plan.surer
    return {} if found is None or not found.is_likely else {name: best for name, best, _ in found.fleets}


def _beyond(plan: JointPlan) -> str:
    """Return whose fleet that is as good as sure is beyond the limits by itself; others keep to them."""
    found = []
    for name, best, sure in rows(plan):
        likely = _likely(best, sure)
        over = [] if likely is None else broken(plan.question.limits.limits(), *likely)
        found += [f"; that of {name} is {beyond(over)}"] if over else []
    return "".join(found)


def _over(plan: JointPlan) -> str:
    """Return over what it is told how sure the fleets are: the step times of all, and what was typed as a range."""
    typed = ((name, ", ".join(map(span, sure.ranges))) for name, _, sure in rows(plan) if sure.ranges)
    return "; ".join((f"over {confidence_text.STEP_TIMES}", *(f"of {name} also {spans}" for name, spans in typed)))


def sentences(plan: JointPlan) -> tuple[str, ...]:
    """Return how sure the least sure is, what the limits give to be surer, and what is as good as sure beyond them."""
    known = rows(plan)
    if not known or len(known) < len(plan.planned):
        return ()
    if wished(plan.question):
        return (least_sure(known),)
    if plan.surer is None:
        return (least_sure(known, all_told=True), *_likely_together(plan))
    beyond = () if plan.surer.is_likely else _likely_together(plan)
    return (least_sure(known), _surest(plan, plan.surer), *beyond)


def _surest(plan: JointPlan, found: SureTogether) -> str:
    """Return the surest fleets within the limits that were found."""
    how = "as simulated" if plan.question.verify else "by formula"
    if not found.fleets:
        return f"within the limits none were found of which each is {confidence_text.surely(found.sought)} sure, {how}"
    words = f"{counted(found.gpus)} ({units.dollars_per_hour(found.cost)})"
    if found.is_likely:
        share = units.percent(LIKELY)
        return f"the limits let each be {share} sure, {how}: {words}, planned so with --confidence {share}"
    share = confidence_text.surely(found.holds)
    return f"the limits let each be {share} sure, the surest that was found, {how}: {words}"


def _likely_together(plan: JointPlan) -> tuple[str, ...]:
    """Return what is as good as sure of each, all together, and whether the limits hold it; none where none is."""
    found = _needed(plan)
    if found is None:
        return ()
    needed, counts, cost = found
    over = broken(plan.question.limits.limits(), counts, cost)
    if plan.surer is not None and not over:
        return ()  # power is not known of them
    fits = beyond(over) if over else "within all limits"
    fits += f", {NOT_SOUGHT}" if over and plan.surer is None and is_beyond(plan) else ""
    likely = units.percent(LIKELY)
    words = f"{ABOUT}{_counted(counts)} ({confidence_text.paid_for(None, cost)})"
    paid = {kind.name: count for kind, count in zip(plan.kinds, plan.joint.paid, strict=True)}
    if plan.question.limits.whole_nodes and all(count <= paid.get(gpu, 0) for gpu, count in counts.items()):
        names = ", ".join(f"{name} {_counted(gpus)}" for name, gpus in needed.items())
        return (f"to be {likely} sure of each costs nothing more, in the nodes that are paid for: about {names}",)
    return (f"to be {likely} sure of each, {words}, {fits}",)


def _needed(plan: JointPlan) -> tuple[Mapping[str, Counter[str]], Mapping[str, int], float] | None:
    """Return GPUs by type of what is as good as sure by workload, what is paid for of all, and US dollars an hour.

    None where nothing is for one of them.
    """
    needed = {name: _likely(best, sure) for name, best, sure in rows(plan)}
    found = {name: one for name, one in needed.items() if one is not None}
    if len(found) < len(needed):
        return None
    total = sum((gpus for gpus, _ in found.values()), Counter[str]())
    counts: Mapping[str, int] = total
    cost = math.fsum(cost for _, cost in found.values())
    if plan.question.limits.whole_nodes:
        counts, cost = _in_whole_nodes(plan, total, cost)
    return {name: gpus for name, (gpus, _) in found.items()}, counts, cost


def is_beyond(plan: JointPlan) -> bool:
    """Return whether what is as good as sure of each is not known to keep the limits, where nobody wished it."""
    known, limits = rows(plan), plan.question.limits
    wish = any(one.entry.question.confidence is not None for one in plan.planned)
    if plan.verdict != "pass" or wish or not limits.limits() or len(known) < len(plan.planned):
        return False
    if all(sure.is_likely for _, _, sure in known):
        return False
    found = _needed(plan)
    return found is None or limits.max_power is not None or bool(broken(limits.limits(), *found[1:]))


def least_sure(known: Sequence[Row], *, all_told: bool = False) -> str:
    """Return of which workload's fleet one is least sure, and how sure; `all_told` with what of the same is surer."""
    name, best, sure = min(known, key=lambda row: row[2].holds)
    words = confidence_text.told(sure, best) if all_told else confidence_text.holding(sure, best)
    return f"the least sure is {name}: {words}"


def _counted(gpus: Mapping[str, int]) -> str:
    return counted(sorted(gpus.items()))


def _likely(best: Candidate, sure: Confidence) -> tuple[Counter[str], float] | None:
    """Return GPUs by type and US dollars an hour of what suffices in LIKELY of the cases, None where nothing does."""
    if sure.is_likely:
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
