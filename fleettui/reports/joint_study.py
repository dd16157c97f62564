"""A joint plan as a study: the sentence that decides, who is held back by what, and the tables behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from fleettui.domain.fleet import counted as number
from fleettui.domain.joint import Joint, JointPlan, JointQuestion, Planned, Use
from fleettui.domain.limit import TTFT
from fleettui.domain.limiting import limited_by
from fleettui.domain.plan import Answer, Candidate, Estimate
from fleettui.domain.study import JOINT, JOINT_TITLE, Study, StudyTable, table_of
from fleettui.reports import fleet_text, joint_sure, units
from fleettui.reports.fleet_text import counted
from fleettui.reports.headline_cost import about_per_month
from fleettui.reports.joint_costs import costs_tables
from fleettui.reports.joint_warnings import warnings
from fleettui.reports.question import conversion
from fleettui.reports.shared_amounts import amount, enough, figures_up, more, resource
from fleettui.reports.verdict_words import VERDICT_WORDS
from fleettui.reports.whole_nodes import IN_WHOLE_NODES, nodes_tables

UNITS = {"cost": ", $/h", "power": ", W", "gpus": ""}
NONE_HELD_BACK = "no shared limit holds a workload back"
ONE_BY_ONE = "each has the fleet that it would have by itself, one by one"
NOT_SIMULATED = "with fleets that were not simulated"


def joint_study(plan: JointPlan) -> Study:
    """Return the study of a joint plan; cells are in SI units, the limits' in that of each."""
    question, limits = plan.question, dict(plan.question.limits.limits())
    if plan.joint.chosen is None:
        first = _no_answer(plan)
        others = [*_relaxations(plan, limits), *_each_alone(plan, limits), *_fitting(plan, limits)]
    else:
        first = _verdict(plan)
        others = [*_held_back(plan, limits), *joint_sure.sentences(plan), *_none_held_back(plan, limits)]
    tables = (
        _fleets(plan),
        *joint_sure.tables(plan),
        _limited(plan),
        _asked(plan),
        _limits(plan),
        *nodes_tables(plan),
        *costs_tables(plan),
    )
    return Study(
        kind=JOINT,
        title=f"{JOINT_TITLE.format(name=question.name)}{number(len(question.entries), 'workload')} over one stock",
        question=limits_in_words(plan),
        seed=question.seed,
        sentences=(first, *_moved(plan), *others, *plan.notes),
        tables=tuple(table for table in tables if table.rows),
        warnings=warnings(plan),
        verdict=plan.verdict,
    )


def limits_in_words(plan: JointPlan) -> str:
    """Return what was asked in one line: entries, objective and shared limits."""
    return f"{', '.join(one.entry.name for one in plan.planned)}; {shared_words(plan.question)}"


def shared_words(question: JointQuestion) -> str:
    """Return what all workloads share: objective and limits."""
    limits = [f"{resource(name)} {amount(name, most)}" for name, most in question.limits.limits()]
    limits += [IN_WHOLE_NODES] if question.limits.whole_nodes else []
    limits += [share] if (share := joint_sure.wished(question)) else []
    return f"least {question.objective}; {', '.join(limits) or 'no shared limits'}"


def _verdict(plan: JointPlan) -> str:
    limits = dict(plan.question.limits.max_gpus)
    about, how = ("", "as simulated") if plan.question.verify else ("~", "by formula")
    counts = [
        f"{count} {kind.name.upper()}" + (f" of {limits[kind.name]}" if kind.name in limits else "")
        for kind, count in zip(plan.kinds, plan.joint.paid, strict=True)
        if count or kind.name in limits
    ]
    cost = f"{units.dollars_per_hour(plan.joint.cost)}, {about_per_month(plan.joint.cost)}"
    return f"{about}{VERDICT_WORDS[plan.verdict]}{joint_sure.how_sure(plan)} {how}: {' + '.join(counts)}, {cost}"


def _no_answer(plan: JointPlan) -> str:
    words = VERDICT_WORDS[plan.verdict]
    empty = [one.entry.name for one in plan.planned if one.plan is not None and one.plan.verdict == "infeasible"]
    if empty:
        return f"{words} by formula: no fleet holds for {', '.join(empty)}, whatever the limits"
    if plan.verdict == "infeasible":
        return f"{words} by formula: no combination of one fleet per workload keeps all limits"
    if plan.verdict == "unproven":
        return f"{words} as simulated: no combination of fleets was proven to keep all limits"
    return f"{words} as simulated: no combination of the fleets that were looked at keeps all limits; of others one may"


def _none_held_back(plan: JointPlan, limits: Mapping[str, float]) -> list[str]:
    """Return that no workload is held back, and whether it costs what they would one by one; whole nodes may be shared.

    A fleet that was found beside others may be another than the workload's plan by itself came to.
    """
    held = any(one.needs for one in plan.planned)
    if not limits or plan.verdict != "pass" or held or plan.question.limits.whole_nodes:
        return []
    others = [one for one in plan.planned if not one.is_own]
    if not others:
        return [f"{NONE_HELD_BACK}: {ONE_BY_ONE}"]
    known = [
        f"{one.entry.name} planned by itself has {counted(one.alone)}, {units.cents_per_hour(one.alone_cost)}"
        for one in others
        if one.alone
    ]
    return [": ".join((NONE_HELD_BACK, *filter(None, ["; ".join(known)])))]


def _held_back(plan: JointPlan, limits: Mapping[str, float]) -> list[str]:
    """Return, per workload that a shared limit holds back, what it would have and what that would take."""
    return [
        f"{one.entry.name} is held back by {_needs(one, limits)}; by itself it would have {counted(one.alone)}"
        for one in plan.planned
        if one.needs
    ]


def _each_alone(plan: JointPlan, limits: Mapping[str, float]) -> list[str]:
    """Return, where no combination keeps the limits, what each workload needs when it has them to itself."""
    return [_alone(one, limits) for one in plan.planned if one.alone or one.needs]


def _fitting(plan: JointPlan, limits: Mapping[str, float]) -> Iterator[str]:
    """Yield which workloads fit together where all do not, and what each of the others lacks beside them."""
    found = plan.fitting
    if found is None or not found.missing:
        return
    names = " and ".join(found.names) if len(found.names) < 3 else ", ".join(found.names)
    fit = "fits" if len(found.names) == 1 else "fit together"
    yield f"{names} {fit}: {counted(found.gpus)}, {units.dollars_per_hour(found.cost)}, {_known(found.simulated)}"
    for one in found.missing:
        raised = _raised(one.needs, limits, " with " if one.needs_all else " or ")
        them = "it" if len(found.names) == 1 else "them"
        yield f"{one.name} beside {them}: {raised} would do, {_known(one.simulated)}"


def _alone(one: Planned, limits: Mapping[str, float]) -> str:
    if one.alone:
        cost = units.dollars_per_hour(one.alone_cost)
        return f"{one.entry.name} alone needs {counted(one.alone)}, {cost}, {_known(one.simulated)}"
    raised = _raised(one.needs, limits, " with " if one.needs_all else " or ")
    return f"{one.entry.name} does not fit even alone: {raised} would do, {_known(one.simulated)}"


def _known(simulated: bool) -> str:
    return "as simulated" if simulated else "by formula"


def _moved(plan: JointPlan) -> list[str]:
    """Return, per workload whose fleet is not the one that the formulas chose first, both."""
    said = []
    for one in plan.planned:
        best = None if one.plan is None else one.plan.answer
        if best is None or not one.formula or best.simulation is None:
            continue
        now = best.fleet.gpus_by_type
        if now != dict(one.formula):
            simulated = counted(sorted(now.items()))
            said.append(f"{one.entry.name}: {counted(one.formula)} by formula, {simulated} as simulated")
    return said


def _raised(needs: Sequence[tuple[str, float]], limits: Mapping[str, float], word: str) -> str:
    """Return limits at the values that they need, with how much more that is."""
    return word.join(
        f"{amount(name, enough(name, needed))} as {resource(name)} ({more(name, needed, limits[name])} more)"
        for name, needed in needs
    )


def _needs(one: Planned, limits: Mapping[str, float]) -> str:
    return " and ".join(
        f"the {resource(name)} ({amount(name, enough(name, needed))} needed of {amount(name, limits[name])})"
        for name, needed in one.needs
    )


def _relaxations(plan: JointPlan, limits: Mapping[str, float]) -> list[str]:
    """Return the smallest change of each limit that would do, where nothing keeps them all, rounded up.

    After simulations one that rests on a fleet which none of them looked at only may do; which one would do with fleets
    that hold as simulated is told beside it. Both are compared as they are printed, as each is a solution of its own.
    """
    by_formula = plan.verdict == "infeasible" and plan.proven is None
    proven = plan.joint if by_formula else plan.proven or Joint(chosen=None)
    known = ", by formula" if by_formula else ", as simulated"
    simulated = {
        use.resource: amount(use.resource, enough(use.resource, use.would_do))
        for use in proven.uses
        if use.would_do is not None
    }
    small = "is too small for them" if plan.verdict == "unproven" else "is too small"
    alone = list[str]()
    for use in plan.joint.uses:
        if use.would_do is None or use.most is None:
            continue
        name, sure = resource(use.resource), simulated.get(use.resource)
        needed, now = amount(use.resource, enough(use.resource, use.would_do)), amount(use.resource, use.most)
        raised = more(use.resource, use.would_do, use.most)
        if sure == needed:
            said = f"{needed} instead of {now} would do, {raised} more{known}"
        else:
            said = f"~{needed} instead of {now} may do, ~{raised} more, {NOT_SIMULATED}"
            said += "" if sure is None else f"; {sure} would do{known}"
        alone.append(f"{f'or, instead, the {name}' if alone else f'the {name} {small}'}: {said}")
    if not alone and plan.joint.together:
        raised = _raised(plan.joint.together, limits, " with ")
        does = (
            f"would do{known}" if raised == _raised(proven.together, limits, " with ") else f"may do, {NOT_SIMULATED}"
        )
        return [f"no limit alone is to blame; together {raised} {does}"]
    return alone


def _fleets(plan: JointPlan) -> StudyTable:
    """Return a row per workload: what it gets and whether that holds."""
    return table_of(
        "Fleets",
        [(one.entry.name, one.plan, one.plan.answer) for one in plan.planned if one.plan is not None],
        ("name", "text", lambda row: row[0]),
        ("fleet", "text", lambda row: "none" if row[2] is None else fleet_text.fleet(row[2].fleet)),
        ("gpus", "count", lambda row: None if row[2] is None else row[2].gpus),
        ("cost", "dollars per hour", lambda row: None if row[2] is None else row[2].cost_per_hour),
        ("ttft", "seconds", lambda row: _ttft(row[2]).value),
        ("low", "seconds", lambda row: _ttft(row[2]).low),
        ("high", "seconds", lambda row: _ttft(row[2]).high),
        ("verdict", "text", lambda row: _verdict_of(row[1])),
        ("plan", "text", lambda row: row[1].plan.handle),
        note="TTFT: each workload's worst pool at its percentile, with the ends of the 95 % interval where simulated."
        + _all_of_them(plan),
    )


def _all_of_them(plan: JointPlan) -> str:
    """Return what the fleets that were looked at last take together where they are no answer; empty where they are."""
    found = [one.plan.answer for one in plan.planned if one.plan is not None and one.plan.answer is not None]
    if plan.joint.chosen is not None or not found:
        return ""
    taken: Counter[str] = Counter()
    for one in found:
        taken.update(one.fleet.gpus_by_type)
    limits = dict(plan.question.limits.max_gpus)
    gpus = [f"{counted([(name, count)])}{f' of {limits[name]}' * (name in limits)}" for name, count in taken.items()]
    cost = units.dollars_per_hour(sum(one.cost_per_hour for one in found))
    return f" These were looked at last and are no answer: together {' + '.join(gpus)}, {cost}."


def _verdict_of(plan: Answer) -> str:
    """Return a plan's verdict in the word of studies: ~pass is by formula alone."""
    known = plan.simulation is not None or plan.verdict not in ("pass", "fail")
    return plan.verdict if known else f"~{plan.verdict}"


def _ttft(best: Candidate | None) -> Estimate:
    found = None if best is None else fleet_text.worst(best, TTFT.latency)
    return found or Estimate(value=None)


def _limited(plan: JointPlan) -> StudyTable:
    """Return a row per workload: what keeps its fleet from being smaller, and what keeps it from a better one."""
    return table_of(
        "What limits each",
        [one for one in plan.planned if one.plan is not None],
        ("name", "text", lambda one: one.entry.name),
        ("model", "text", lambda one: one.entry.question.model),
        ("limited by", "text", _limit_of),
        ("held back by", "text", lambda one: ", ".join(resource(name) for name, _ in one.needs) or "-"),
        note="Limited by: what one replica fewer would break. Held back by: the shared limit that forbids a better "
        "fleet.",
    )


def _limit_of(one: Planned) -> str:
    """Return what limits a fleet: of several pools each with its name."""
    if one.plan is None or one.plan.answer is None:
        return ""
    best = one.plan.answer
    found = limited_by(best, one.entry.question, one.plan.candidates)
    if len(found) == 1:
        return found[0]
    return ", ".join(f"{pool.name} {own}" for pool, own in zip(best.pools, found, strict=True))


def _asked(plan: JointPlan) -> StudyTable:
    return table_of(
        "What was asked",
        plan.planned,
        ("name", "text", lambda one: one.entry.name),
        ("class", "text", lambda one: one.entry.service_class or "-"),
        ("rate", "rate", lambda one: one.rate if one.plan is None else one.plan.demand.rate),
        ("question", "text", lambda one: conversion.summary(one.entry.question)),
    )


def _limits(plan: JointPlan) -> StudyTable:
    """Return a row per shared limit: what is used of it, or which limit would do."""
    title = "Shared limits"
    if plan.joint.chosen is None:
        proven = {use.resource: use.would_do for use in (plan.proven or plan.joint).uses if use.would_do is not None}
        rows = [replace(use, would_do=proven.get(use.resource, use.would_do)) for use in plan.joint.uses]
        how = "" if plan.verdict == "infeasible" else f"; it may be {NOT_SIMULATED}"
        if plan.proven is not None and {use.resource for use in rows if use.would_do is not None} <= {*proven}:
            how = ", with fleets that hold as simulated"
        note = f"Would do: the smallest that makes an answer possible, the others as they are{how}; rounded up."
        return table_of(
            title,
            rows,
            ("shared limit", "text", _label),
            ("limit", "number", lambda use: use.most),
            ("would do", "number", lambda use: None if use.would_do is None else figures_up(use.would_do)),
            note=note,
        )
    return table_of(
        title,
        [(one, one.used, one.most) for one in plan.joint.uses if one.used is not None and one.most is not None],
        ("shared limit", "text", lambda row: _label(row[0])),
        ("used", "number", lambda row: round(row[1], 6)),
        ("limit", "number", lambda row: row[2]),
        ("left", "number", lambda row: round(row[2] - row[1], 6) + 0.0),
    )


def _label(use: Use) -> str:
    return resource(use.resource) + UNITS.get(use.resource, ", GPUs")
