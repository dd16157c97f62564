"""The compared plans laid over each other: how fast requests are, what a month costs, and the one against the other.

Each is a chart and the same figures as a table, for whoever sees no plot; a letter names each plan in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from string import ascii_letters, digits
from typing import Literal

from fleettui.domain.limit import TTFT
from fleettui.domain.plan import Candidate, Estimate
from fleettui.reports import fleet_text, units
from fleettui.reports.chart import Axis, Chart, Mark, Series
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.comparison import metrics
from fleettui.reports.comparison.model import Compared
from fleettui.reports.comparison.ranges import open_ended, span, through
from fleettui.reports.comparison.spread import ROUNDING, Spread
from fleettui.reports.table import Table

Kind = Literal["cdf", "cost", "latency"]
KINDS: Mapping[Kind, str] = {"cdf": "TTFT CDF", "cost": "cost", "latency": "latency"}
"""The pictures in the order in which they are walked through, with what each is called."""
LETTERS = f"{ascii_letters.swapcase()}{digits}"
"""A to Z, then a to z: what names each plan."""
PATTERNS = 3
"""Lines that are told apart by how much of them is drawn: all, every second cell, every third."""
FIRST_SHOWN, LAST_SHOWN = 0.005, 0.999
"""The shares of the requests between which the spread is drawn."""
TOLD_AT = (0.5, 0.9, 0.95, 0.99, 0.999)
LOG_FROM = 20.0
"""Latencies further apart than this factor are drawn on a log axis."""
OPEN_END = 1.15
"""A range without end is drawn to the edge, so much farther than the last end that is known."""
WITHOUT_END = "more than can be had"
NO_FLEET = "no fleet"
FORMULA = "by formula"
UNSEEN = "What is known by formula has no CDF: v proves it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A chart, None where there is nothing to draw, and the same as a table."""

    chart: Chart | None
    table: Table


def picture(kind: Kind, plans: Sequence[Compared]) -> Picture:
    """Return one of `KINDS` of plans; that of how they are spread needs their runs."""
    found = {"cdf": _cdf, "cost": _cost, "latency": _latency}[kind](tuple(zip(LETTERS, plans, strict=False)))
    beyond = len(plans) - len(LETTERS)
    if beyond <= 0:
        return found
    return replace(found, table=replace(found.table, note=f"{units.count(beyond)} plans more: no letter is left"))


Lettered = Sequence[tuple[str, Compared]]


def _name(letter: str, plan: Compared) -> str:
    return f"{letter} {plan.handle}"


def _cdf(plans: Lettered) -> Picture:
    found = [(letter, plan, plan.spread) for letter, plan in plans]
    seen = [(letter, plan, own) for letter, plan, own in found if own is not None]
    limits = {letter: plan.question.slo.ttft for letter, plan in plans}
    columns: tuple[Column[tuple[str, Compared, Spread | None]], ...] = (
        words("plan", lambda row: _name(row[0], row[1])),
        *map(_quantile, TOLD_AT),
        figure("SLO", lambda row: limits[row[0]], units.limit),
        words("met", lambda row: _met(row[1], row[2])),
    )
    note = "   ".join(filter(None, (_worst_words(seen), "" if len(seen) == len(found) else UNSEEN)))
    told = table(columns, found, title="TTFT of all requests, pools together", note=note)
    if not seen:
        return Picture(chart=None, table=told)
    ends = [one for _, _, own in seen for one in (own.quantile(FIRST_SHOWN), own.quantile(LAST_SHOWN))]
    stops = _limits(limits)
    marks = [stop.value for stop in stops]
    return Picture(
        chart=Chart(
            title=told.title,
            series=tuple(
                Series(
                    name=plan.handle,
                    points=own.points,
                    style="step",
                    every=1 + place % PATTERNS,
                    letter=letter,
                    at=own.place((place + 1) / (len(seen) + 1)),
                )
                for place, (letter, plan, own) in enumerate(seen)
            ),
            x=Axis(label="TTFT", write=units.seconds, log=True, low=min(*ends, *marks), high=max(*ends, *marks) * 1.05),
            y=Axis(label="share of requests", write=units.fraction, low=0.0, high=1.0),
            stops=stops,
            summary=_spread_words(found, limits),
        ),
        table=told,
    )


def _quantile(share: float) -> Column[tuple[str, Compared, Spread | None]]:
    """Return the column of the seconds within which a share of the requests has its first token."""
    title = f"P{units.write_percentile(share)}"
    return figure(title, lambda row: None if row[2] is None else row[2].quantile(share), units.seconds)


def _met(plan: Compared, own: Spread | None) -> str:
    if own is None:
        return NO_FLEET if plan.fleet is None else FORMULA
    limit = plan.question.slo.ttft
    return units.UNDEFINED if limit is None else _share(own.within(limit))


def _share(value: float) -> str:
    return f"{min(value, 0.9999):.2%}" if value < 1 - ROUNDING else "100%"


def _worst_words(seen: Sequence[tuple[str, Compared, Spread]]) -> str:
    """Return the percentile that is held to the SLO, which is the worst pool's: it is not that of all requests."""
    found = [
        (letter, fleet_text.worst(plan.fleet, TTFT.latency))
        for letter, plan, _ in seen
        if plan.fleet is not None and len(plan.fleet.pools) > 1
    ]
    rank = metrics.rank([plan for _, plan, _ in seen])
    told = ", ".join(f"{letter} {units.seconds(one.value)}" for letter, one in found if one is not None)
    return f"worst pool {rank} {told}" if told else ""


def _limits(limits: Mapping[str, float | None]) -> tuple[Mark, ...]:
    """Return each limit as a mark, with the letters of the plans that have it where not all do."""
    by_value: dict[float, str] = {}
    for letter, limit in limits.items():
        if limit is not None:
            by_value[limit] = by_value.get(limit, "") + letter
    return tuple(
        Mark(value=limit, label=f"SLO {units.limit(limit)}{'' if len(by_value) == 1 else f' {letters}'}")
        for limit, letters in by_value.items()
    )


def _spread_words(found: Sequence[tuple[str, Compared, Spread | None]], limits: Mapping[str, float | None]) -> str:
    seen = [(letter, plan, own) for letter, plan, own in found if own is not None]
    parts = [
        f"P{units.write_percentile(share)} "
        + ", ".join(f"{letter} {units.seconds(own.quantile(share))}" for letter, _, own in seen)
        for share in (0.5, 0.99)
    ]
    met = ", ".join(f"{letter} {_met(plan, own)}" for letter, plan, own in seen if limits[letter] is not None)
    parts += [f"SLO met {met}"] if met else []
    parts += filter(None, [_worst_words(seen)])
    unseen = [letter for letter, plan, own in found if own is None and plan.fleet is not None]
    parts += [f"{' '.join(unseen)} {FORMULA}: no CDF, v proves it"] if unseen else []
    parts += [f"{letter} {NO_FLEET}" for letter, plan, _ in found if plan.fleet is None]
    return "; ".join(parts)


def _cost(plans: Lettered) -> Picture:
    priced = [(letter, plan, plan.fleet) for letter, plan in plans]
    spans = {letter: span(fleet) for letter, _, fleet in priced if fleet is not None}
    columns: tuple[Column[tuple[str, Compared, Candidate | None]], ...] = (
        words("plan", lambda row: _name(row[0], row[1])),
        figure("GPUs", lambda row: NO_FLEET if row[2] is None else units.count(row[2].gpus)),
        figure("$/h", lambda row: row[2].cost_per_hour if row[2] else None, units.dollars_per_hour),
        figure("a month", lambda row: row[2].cost_per_hour if row[2] else None, _month),
        figure("a year", lambda row: row[2].cost_per_hour if row[2] else None, units.dollars_per_year),
        figure("from, a month", lambda row: span(row[2]).low if row[2] else None, _month),
        figure("to", lambda row: _most(span(row[2])) if row[2] else None),
    )
    told = table(columns, priced, title="what each plan costs, and the range that its model's error allows")
    if not spans:
        return Picture(chart=None, table=told)
    rows = len(plans)
    places = {letter: float(rows - place) for place, (letter, _) in enumerate(plans)}
    names = {places[letter]: letter for letter, _ in plans}
    known = [end for one in spans.values() for end in (one.value, one.high) if end is not None]
    edge = max(known) * OPEN_END
    end = units.monthly(edge) if any(map(open_ended, spans.values())) else None
    series = []
    for letter, plan, _ in priced:
        if letter in spans:
            points, at = through(replace(spans[letter], high=edge) if open_ended(spans[letter]) else spans[letter])
            line = tuple((units.monthly(cost), places[letter]) for cost in points)
            series.append(Series(name=plan.handle, letter=letter, points=line, at=at))
    return Picture(
        chart=Chart(
            title="cost, and the range of it by the model's error",
            series=tuple(series),
            x=Axis(label="$/month", write=lambda month: f"${units.short_count(month)}", low=0.0, high=end),
            y=Axis(label="plan", write=lambda place: names.get(place, ""), low=0.5, high=rows + 0.5),
            summary=_cost_words(priced),
        ),
        table=told,
    )


def _most(found: Estimate) -> str | None:
    if open_ended(found):
        return WITHOUT_END
    return None if found.high is None else _month(found.high)


def _month(per_hour: float) -> str:
    return units.dollars_per_month(per_hour).removesuffix("/month")


def _cost_words(priced: Sequence[tuple[str, Compared, Candidate | None]]) -> str:
    base = next(fleet for _, _, fleet in priced if fleet is not None)
    parts = []
    for letter, _, fleet in priced:
        if fleet is None:
            parts.append(f"{letter} {NO_FLEET}")
            continue
        more = fleet.cost_per_hour - base.cost_per_hour
        beside = "" if fleet is base else f" ({'-' if more < 0 else '+'}{_month(abs(more))})"
        end = f", at worst {WITHOUT_END}" if open_ended(span(fleet)) else ""
        parts.append(f"{letter} {units.dollars_per_month(fleet.cost_per_hour)}{beside}{end}")
    return "; ".join(parts)


def _latency(plans: Lettered) -> Picture:
    metric = metrics.latencies([plan for _, plan in plans])[0]
    known = [(letter, plan, None if plan.fleet is None else metric.find(plan.fleet)) for letter, plan in plans]
    limits = {letter: metrics.limit(metric, plan) for letter, plan in plans}
    columns: tuple[Column[tuple[str, Compared, Estimate | None]], ...] = (
        words("plan", lambda row: _name(row[0], row[1])),
        figure("$/h", lambda row: row[1].fleet.cost_per_hour if row[1].fleet else None, units.dollars_per_hour),
        figure(metric.label, lambda row: row[2].value if row[2] else None, units.seconds),
        figure("95 % interval", lambda row: (fleet_text.interval(row[2]) or None) if row[2] else None),
        figure("SLO", lambda row: limits[row[0]], units.limit),
        words("how", lambda row: _how(row[1])),
    )
    told = table(columns, known, title=f"{metric.label} in the worst pool against cost")
    placed = [
        (letter, plan, plan.fleet.cost_per_hour, found)
        for letter, plan, found in known
        if plan.fleet is not None and found is not None and found.value is not None
    ]
    if not placed:
        return Picture(chart=None, table=told)
    values = [value for *_, found in placed for value in through(found)[0]]
    costs = [cost for _, _, cost, _ in placed]
    series = []
    for letter, plan, cost, found in placed:
        points, at = through(found)
        line = tuple((cost, value) for value in points)
        series.append(Series(name=plan.handle, letter=letter, points=line, at=at))
    return Picture(
        chart=Chart(
            title=told.title,
            series=tuple(series),
            x=Axis(label="$/h", write=units.dollars_per_hour, low=min(costs) * 0.9, high=max(costs) * 1.1),
            y=Axis(label=metric.label, write=units.seconds, log=max(values) > LOG_FROM * min(values) > 0),
            levels=_limits(limits),
            summary="; ".join(map(partial(_point_words, metric.label), known)),
        ),
        table=told,
    )


def _how(plan: Compared) -> str:
    return NO_FLEET if plan.fleet is None else fleet_text.proof(plan.fleet)


def _point_words(label: str, known: tuple[str, Compared, Estimate | None]) -> str:
    letter, plan, found = known
    if plan.fleet is None or found is None:
        return f"{letter} {NO_FLEET if plan.fleet is None else 'undefined'}"
    sure = f" {fleet_text.interval(found)}" if metrics.is_simulated(plan) else " by formula"
    return f"{letter} {units.dollars_per_hour(plan.fleet.cost_per_hour)}, {label} {units.seconds(found.value)}{sure}"
