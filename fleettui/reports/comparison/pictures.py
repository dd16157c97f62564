"""The compared plans laid over each other: how fast requests are, what a month costs, and the one against the other.

Each is a chart and the same figures as a table, for whoever sees no plot; a letter names each plan in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from string import ascii_letters, digits
from typing import Literal, NamedTuple

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
NO_CDF = "What is known by formula has no CDF: v proves it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A chart, None where there is nothing to draw, and the same as a table."""

    chart: Chart | None
    table: Table


class Row(NamedTuple):
    """A plan with its letter and an estimate of it that is drawn, its cost or its latency."""

    letter: str
    plan: Compared
    known: Estimate | None = None

    @property
    def fleet(self) -> Candidate | None:
        """The plan's fleet."""
        return self.plan.fleet

    @property
    def spread(self) -> Spread | None:
        """How the requests of its runs are spread, None where nobody has looked."""
        return self.plan.spread

    @property
    def cost(self) -> float | None:
        """US dollars an hour."""
        return None if self.fleet is None else self.fleet.cost_per_hour


Rows = Sequence[Row]
Columns = tuple[Column[Row], ...]
NAME: Column[Row] = words("plan", lambda row: f"{row.letter} {row.plan.handle}")


def picture(kind: Kind, plans: Sequence[Compared]) -> Picture:
    """Return one of `KINDS` of plans; that of how they are spread needs their runs."""
    found = {"cdf": _cdf, "cost": _cost, "latency": _latency}[kind](list(map(Row, LETTERS, plans)))
    beyond = len(plans) - len(LETTERS)
    if beyond <= 0:
        return found
    return replace(found, table=replace(found.table, note=f"{units.count(beyond)} plans more: no letter is left"))


def _cdf(rows: Rows) -> Picture:
    seen = [(row, row.spread) for row in rows if row.spread is not None]
    limits = {row.letter: row.plan.question.slo.ttft for row in rows}
    columns: Columns = (
        NAME,
        *map(_quantile, TOLD_AT),
        figure("SLO", lambda row: limits[row.letter], units.limit),
        words("met", _met),
    )
    note = "   ".join(filter(None, (_worst_words(rows), "" if len(seen) == len(rows) else NO_CDF)))
    told = table(columns, rows, title="TTFT of all requests, pools together", note=note)
    if not seen:
        return Picture(chart=None, table=told)
    stops = _limits(limits)
    ends = [one for _, own in seen for one in (own.quantile(FIRST_SHOWN), own.quantile(LAST_SHOWN))]
    ends += [stop.value for stop in stops]
    series = (
        Series(
            name=row.plan.handle,
            points=own.points,
            style="step",
            every=1 + place % PATTERNS,
            letter=row.letter,
            at=own.place((place + 1) / (len(seen) + 1)),
        )
        for place, (row, own) in enumerate(seen)
    )
    chart = Chart(
        title=told.title,
        series=tuple(series),
        x=Axis(label="TTFT", write=units.seconds, log=True, low=min(ends), high=max(ends) * 1.05),
        y=Axis(label="share of requests", write=units.fraction, low=0.0, high=1.0),
        stops=stops,
        summary=_spread_words(rows, limits),
    )
    return Picture(chart=chart, table=told)


def _quantile(share: float) -> Column[Row]:
    """Return the column of the seconds within which a share of the requests has its first token."""
    title = f"P{units.write_percentile(share)}"
    return figure(title, lambda row: None if row.spread is None else row.spread.quantile(share), units.seconds)


def _met(row: Row) -> str:
    if row.spread is None:
        return NO_FLEET if row.fleet is None else FORMULA
    limit = row.plan.question.slo.ttft
    return units.UNDEFINED if limit is None else _share(row.spread.within(limit))


def _share(value: float) -> str:
    return f"{min(value, 0.9999):.2%}" if value < 1 - ROUNDING else "100%"


def _worst_words(rows: Rows) -> str:
    """Return the percentile that is held to the SLO, which is the worst pool's: it is not that of all requests."""
    seen = [row for row in rows if row.spread is not None]
    found = [
        (row.letter, fleet_text.worst(row.fleet, TTFT.latency))
        for row in seen
        if row.fleet is not None and len(row.fleet.pools) > 1
    ]
    rank = metrics.rank([row.plan for row in seen])
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


def _spread_words(rows: Rows, limits: Mapping[str, float | None]) -> str:
    seen = [(row, row.spread) for row in rows if row.spread is not None]
    parts = [
        f"P{units.write_percentile(share)} "
        + ", ".join(f"{row.letter} {units.seconds(own.quantile(share))}" for row, own in seen)
        for share in (0.5, 0.99)
    ]
    met = ", ".join(f"{row.letter} {_met(row)}" for row, _ in seen if limits[row.letter] is not None)
    parts += [f"SLO met {met}"] if met else []
    parts += filter(None, [_worst_words(rows)])
    unseen = [row.letter for row in rows if row.spread is None and row.fleet is not None]
    parts += [f"{' '.join(unseen)} {FORMULA}: no CDF, v proves it"] if unseen else []
    return "; ".join(parts + [f"{row.letter} {NO_FLEET}" for row in rows if row.fleet is None])


def _cost(plain: Rows) -> Picture:
    rows = [row if row.fleet is None else row._replace(known=span(row.fleet)) for row in plain]
    columns: Columns = (
        NAME,
        figure("GPUs", lambda row: NO_FLEET if row.fleet is None else units.count(row.fleet.gpus)),
        figure("$/h", lambda row: row.cost, units.dollars_per_hour),
        figure("a month", lambda row: row.cost, _month),
        figure("a year", lambda row: row.cost, units.dollars_per_year),
        figure("from, a month", lambda row: row.known.low if row.known else None, _month),
        figure("to", lambda row: _most(row.known) if row.known else None),
    )
    told = table(columns, rows, title="what each plan costs, and the range that its model's error allows")
    spans = [row.known for row in rows if row.known is not None]
    if not spans:
        return Picture(chart=None, table=told)
    edge = max(end for one in spans for end in (one.value, one.high) if end is not None) * OPEN_END
    places = {row.letter: float(len(rows) - place) for place, row in enumerate(rows)}
    names = {place: letter for letter, place in places.items()}
    series = []
    for row in rows:
        if row.known is not None:
            points, at = through(replace(row.known, high=edge) if open_ended(row.known) else row.known)
            line = tuple((units.monthly(cost), places[row.letter]) for cost in points)
            series.append(Series(name=row.plan.handle, letter=row.letter, points=line, at=at))
    end = units.monthly(edge) if any(map(open_ended, spans)) else None
    chart = Chart(
        title="cost, and the range of it by the model's error",
        series=tuple(series),
        x=Axis(label="$/month", write=lambda month: f"${units.short_count(month)}", low=0.0, high=end),
        y=Axis(label="plan", write=lambda place: names.get(place, ""), low=0.5, high=len(rows) + 0.5),
        summary=_cost_words(rows),
    )
    return Picture(chart=chart, table=told)


def _most(found: Estimate) -> str | None:
    if open_ended(found):
        return WITHOUT_END
    return None if found.high is None else _month(found.high)


def _month(per_hour: float) -> str:
    return units.dollars_per_month(per_hour).removesuffix("/month")


def _cost_words(rows: Rows) -> str:
    base = next(row.fleet for row in rows if row.fleet is not None)
    parts = []
    for row in rows:
        if row.fleet is None or row.known is None:
            parts.append(f"{row.letter} {NO_FLEET}")
            continue
        more = row.fleet.cost_per_hour - base.cost_per_hour
        beside = "" if row.fleet is base else f" ({'-' if more < 0 else '+'}{_month(abs(more))})"
        end = f", at worst {WITHOUT_END}" if open_ended(row.known) else ""
        parts.append(f"{row.letter} {units.dollars_per_month(row.fleet.cost_per_hour)}{beside}{end}")
    return "; ".join(parts)


def _latency(plain: Rows) -> Picture:
    metric = metrics.latencies([row.plan for row in plain])[0]
    rows = [row._replace(known=metric.of(row.plan)) for row in plain]
    limits = {row.letter: metrics.limit(metric, row.plan) for row in rows}
    columns: Columns = (
        NAME,
        figure("$/h", lambda row: row.cost, units.dollars_per_hour),
        figure(metric.label, lambda row: row.known.value if row.known else None, units.seconds),
        figure("95 % interval", lambda row: (fleet_text.interval(row.known) or None) if row.known else None),
        figure("SLO", lambda row: limits[row.letter], units.limit),
        words("how", lambda row: NO_FLEET if row.fleet is None else fleet_text.proof(row.fleet)),
    )
    told = table(columns, rows, title=f"{metric.label}, worst pool, by cost")
    series, costs, values = [], list[float](), list[float]()
    for row in rows:
        if row.cost is not None and row.known is not None and row.known.value is not None:
            points, at = through(row.known)
            line = tuple((row.cost, value) for value in points)
            series.append(Series(name=row.plan.handle, letter=row.letter, points=line, at=at))
            costs.append(row.cost)
            values += points
    if not series:
        return Picture(chart=None, table=told)
    chart = Chart(
        title=told.title,
        series=tuple(series),
        x=Axis(label="$/h", write=units.dollars_per_hour, low=min(costs) * 0.9, high=max(costs) * 1.1),
        y=Axis(label=metric.label, write=units.seconds, log=max(values) > LOG_FROM * min(values) > 0),
        levels=_limits(limits),
        summary="; ".join(map(partial(_point_words, metric.label), rows)),
    )
    return Picture(chart=chart, table=told)


def _point_words(label: str, row: Row) -> str:
    if row.cost is None or row.known is None:
        return f"{row.letter} {NO_FLEET if row.fleet is None else 'undefined'}"
    sure = f" {fleet_text.interval(row.known)}" if row.plan.answer.simulation else " by formula"
    return f"{row.letter} {units.dollars_per_hour(row.cost)}, {label} {units.seconds(row.known.value)}{sure}"
