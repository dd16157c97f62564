"""A sweep as a study: a row per point, and before them where the answer changes and how fast it grows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from fleettui.domain.plan import Answer
from fleettui.domain.study import Cell, Quantity, Study, StudyTable, table_of
from fleettui.domain.whatif import Axis, Outcome, Point, Sweep
from fleettui.reports import fleet_text, units
from fleettui.reports.studies import subject as words

TOLD = 4
"""Changes that are told in sentences; the table has them all."""
FLAT = 0.005
FEW = 3
"""Values that a title holds."""
SELDOM = 0.1
"""Requests a second below which a rate is told by the hour."""
CLIFF = 3.0
"""From one point to the next the cost steps where it changes by this many percent per percent of the value."""


def sweep_study(
    plan: Answer,
    asked: str,
    sweep: Sweep,
    base: Outcome,
    found: Sequence[Outcome],
    *,
    kind: str = "whatif",
    title: str = "",
) -> Study:
    """Return the study of a sweep around `plan`, whose question comes to `base` by formula; `found` are its points'.

    Without a `title` it says what is swept.
    """
    names = " and ".join(_swept(axis) for axis in sweep.axes)
    return Study.of(
        plan.plan,
        kind=kind,
        title=f"{plan.plan.called}: {title or f'what if {names}'}",
        question=asked,
        sentences=(f"as planned: {_said(replace(base, simulated=True))}, {_known_by(base)}", *_findings(sweep, found)),
        tables=(_table(sweep, found),),
        warnings=_warnings(base, found),
    )


def _swept(axis: Axis) -> str:
    """Return an axis with its values, of many numbers the first and the last.

    >>> _swept(Axis(name="gpu", quantity="text", values=("h100", "a100")))
    'gpu was h100, a100'
    """
    told = [value(axis, at) for at in axis.values]
    if len(told) > FEW and axis.quantity != "text":
        return f"{axis.name} was {told[0]} to {told[-1]}"
    return f"{axis.name} was {', '.join(told)}"


def _table(sweep: Sweep, found: Sequence[Outcome]) -> StudyTable:
    return table_of(
        "the answer at each point, a row marked ~ by formula; TTFT of the worst pool",
        zip(sweep.points, found, strict=True),
        *((column_name(axis.name), axis.quantity, _at_place(place)) for place, axis in enumerate(sweep.axes)),
        ("verdict", "text", lambda row: row[1].told),
        ("gpus", "count", lambda row: row[1].gpus),
        ("fleet", "text", lambda row: "none" if row[1].fleet is None else fleet_text.fleet(row[1].fleet)),
        ("cost_per_hour", "dollars per hour", lambda row: row[1].cost),
        ("ttft", "seconds", lambda row: row[1].ttft),
        ("limited_by", "text", lambda row: _limited_by(row[1])),
    )


def _at_place(place: int) -> Callable[[tuple[Point, Outcome]], Cell]:
    return lambda row: row[0].values[place]


def _limited_by(one: Outcome) -> str:
    """Return what limits a fleet; of a long reason why there is none the first clause, the sentences have the rest."""
    return one.limited_by.partition(":")[0] if one.fleet is None else one.limited_by


def column_name(name: str) -> str:
    """Return an axis as a column's name.

    >>> column_name("price h100"), column_name("slo-ttft")
    ('price_h100', 'slo_ttft')
    """
    return name.replace("-", "_").replace(" ", "_").replace(".", "_")


def _said(one: Outcome) -> str:
    if one.fleet is None or one.cost is None:
        return f"infeasible ({one.limited_by})"
    fleet = f"{fleet_text.gpu_total(one.fleet)} ({fleet_text.fleet(one.fleet)})"
    return f"{_about(one)}{fleet}, {units.dollars_per_hour(one.cost)}"


def _about(one: Outcome) -> str:
    """Return what stands before the figures of an outcome by formula."""
    return "" if one.simulated else "~"


def _known_by(one: Outcome) -> str:
    return "as simulated" if one.simulated else "by formula"


def _findings(sweep: Sweep, found: Sequence[Outcome]) -> tuple[str, ...]:
    if len(sweep.axes) == 1 and sweep.axes[0].quantity != "text":
        return (*_changes(sweep.axes[0], found), *_elasticity(sweep.axes[0], found))
    return _extremes(sweep, found)


def _changes(axis: Axis, found: Sequence[Outcome]) -> tuple[str, ...]:
    """Return where a fleet of another kind, or none, becomes the answer."""
    shapes = [None if one.fleet is None else fleet_text.shape(one.fleet) for one in found]
    steps = [
        f"{axis.name} {value(axis, low)} to {value(axis, high)}: "
        f"the answer changes from {_kind(before)} to {_kind(after)}"
        for (low, before, old), (high, after, new) in pairwise(zip(axis.values, found, shapes, strict=True))
        if old != new
    ]
    if not steps:
        return (f"{_kind(found[0])} is the answer throughout",)
    more = len(steps) - TOLD
    return (*steps[:TOLD], *([f"and {more} more such changes"] if more > 0 else []))


def _kind(one: Outcome) -> str:
    if one.fleet is None:
        return f"none ({one.limited_by})"
    dtypes = {pool.dtype for pool in one.fleet.pools}
    told = [
        f"{pool.gpu.upper()} {pool.division}{' ' + pool.dtype if len(dtypes) > 1 else ''}" for pool in one.fleet.pools
    ]
    return " + ".join(told)


def elasticity(values: Sequence[float], costs: Sequence[float]) -> float | None:
    """Return by how many percent the cost grows per percent of the value, from the first point to the last.

    ln(cost ratio) / ln(value ratio), the mean over the range on logarithmic scales; None where a ratio has none.

    >>> elasticity([50.0, 400.0], [10.0, 80.0])
    1.0
    """
    if len(values) < 2 or min(values) <= 0 or min(costs) <= 0 or values[0] == values[-1]:
        return None
    return math.log(costs[-1] / costs[0]) / math.log(values[-1] / values[0])


def _elasticity(axis: Axis, found: Sequence[Outcome]) -> tuple[str, ...]:
    held = [(float(at), one.cost) for at, one in zip(axis.values, found, strict=True) if one.cost is not None]
    about = [_about(one) for one in found if one.cost is not None]
    slope = elasticity([at for at, _ in held], [cost for _, cost in held])
    if slope is None:
        return ()
    (low, cheap), (high, dear) = held[0], held[-1]
    costs = f"from {about[0]}{units.dollars_per_hour(cheap)} to {about[-1]}{units.dollars_per_hour(dear)}"
    ends = f"from {value(axis, low)} to {value(axis, high)} the cost goes {costs}"
    if steps := _cliffs(axis, found):
        more = f" and {len(steps) - TOLD} more places" if len(steps) > TOLD else ""
        return (f"{ends}, not evenly: steps at {', '.join(steps[:TOLD])}{more}",)
    if abs(slope) < FLAT:
        return (f"{ends}{_between(axis, [cost for _, cost in held])}",)
    return (f"{ends}: per 1% of {axis.name} {slope:+.2f}%{_shape(slope)}",)


def _cliffs(axis: Axis, found: Sequence[Outcome]) -> list[str]:
    """Return between which neighbouring values the cost jumps, or there is an answer on one side alone."""
    steps = []
    for (low, before), (high, after) in pairwise(zip(axis.values, found, strict=True)):
        between = f"{value(axis, low)} to {value(axis, high)}"
        if before.cost is None or after.cost is None:
            if before.cost != after.cost:
                steps.append(f"{between} (infeasible on one side)")
            continue
        slope = elasticity([float(low), float(high)], [before.cost, after.cost])
        if slope is not None and abs(slope) > CLIFF:
            steps.append(between)
    return steps


def _shape(slope: float) -> str:
    if slope <= 0:
        return ""
    how = "less than " if slope < 0.98 else "more than " if slope > 1.02 else ""
    return f", {how}in proportion"


def _between(axis: Axis, costs: Sequence[float]) -> str:
    """Return what an input does to the cost where that is the same at both ends of its range."""
    if max(costs) <= min(costs) * (1 + FLAT):
        return f": {axis.name} moves it not at all"
    return f", in between it lies at {units.dollars_per_hour(min(costs))} to {units.dollars_per_hour(max(costs))}"


def _extremes(sweep: Sweep, found: Sequence[Outcome]) -> tuple[str, ...]:
    """Return the cheapest and the dearest point, or that all cost the same, and how many hold at all."""
    held = [(one.cost, index) for index, one in enumerate(found) if one.cost is not None]
    told = [f"{len(found) - len(held)} of {len(found)} points have no fleet that holds"] * (len(held) < len(found))
    if not held:
        return tuple(told)
    (low, cheapest), (high, dearest) = min(held), max(held)
    costs = {units.dollars_per_hour(low), units.dollars_per_hour(high)}
    if len(held) > 1 and len(costs) == 1:
        return (f"all {len(held)} points{' that hold' * len(told)} cost the same, {costs.pop()}", *told)
    ends = (("cheapest", cheapest), ("dearest", dearest))
    return (*(f"{word}: {_at(sweep, index)}: {_said(found[index])}" for word, index in ends[: len(held)]), *told)


def _at(sweep: Sweep, index: int) -> str:
    pairs = zip(sweep.axes, sweep.points[index].values, strict=True)
    return ", ".join(f"{axis.name} {value(axis, at)}" for axis, at in pairs)


def value(axis: Axis, at: float | str) -> str:
    """Return a value of an axis as a person reads it.

    >>> value(Axis(name="slo-ttft", quantity="seconds", values=()), 0.5)
    '500ms'
    """
    if isinstance(at, str):
        return at
    return _TOLD.get(axis.quantity, "{:.6g}".format)(at)


def _rate(at: float) -> str:
    """Return a rate, where it is small by the hour, as one that a user has is typed.

    >>> _rate(50.0), _rate(7 / 3600)
    ('50/s', '7/h')
    """
    return words.rate(at) if at >= SELDOM else f"{at * units.HOUR:.4g}/h"


_TOLD: Mapping[Quantity, Callable[[float], str]] = {
    "rate": _rate,
    "seconds": units.limit,
    "share": lambda share: f"{100 * share:.4g}%",
    "dollars per hour": units.cents_per_hour,
    "watts": units.watts,
    "count": units.count,
    "tokens": units.count,
}


def _warnings(base: Outcome, found: Sequence[Outcome]) -> tuple[str, ...]:
    if not base.simulated or all(one.simulated for one in found):
        return ()
    return ("points marked ~ are by formula, corrected where such replicas were simulated",)
