"""The course of a day: demand, capacity and SLO over time, and what was decided when and why, by the first run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fleettui.domain.autoscale import SPAN, Choice, PolicyFigures, PoolSite
from fleettui.domain.day import clock
from fleettui.domain.fleet import counted
from fleettui.domain.study import Cell, Declared, StudyTable, table_of
from fleettui.reports.studies.day_case import HOUR, DayCase, cost, front

DRAWN = 3
"""Policies whose capacity is drawn beside the demand."""
ROWS, FINE_ROWS = 24, 72
"""Rows of the table over time, and of that of each policy, about."""
TOLD = 8
"""Decisions that are told with their reasons: the largest changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Some spans of a policy's day, `first` of them to the one before `last`."""

    one: PolicyFigures
    first: int
    last: int

    @property
    def gpus(self) -> float:
        """The GPUs that were paid for on average."""
        return _mean(self.one.gpus[self.first : self.last])

    @property
    def met(self) -> float | None:
        """The share of its requests that were served within every limit, undefined where none came."""
        spans = self.one.spans[self.first : self.last]
        offered = sum(came for came, _ in spans)
        return sum(met for _, met in spans) / offered if offered else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCourse:
    """The tables over time of a case."""

    case: DayCase

    def over_time(self) -> StudyTable:
        """Return the table of demand and capacity over time: of the front, or the best and what it is held to."""
        every, drawn = self._every(ROWS), self._drawn()
        rows = range(0, len(drawn[0].gpus), every)
        columns: list[Declared[int]] = [
            ("hour", "number", lambda at: at * SPAN / HOUR),
            ("demand", "count", lambda at: self._demand(at, at + every)),
        ]
        columns += [(one.policy.replace("-", "_"), "count", _mean_of(one.gpus, every)) for one in drawn]
        return table_of(
            "GPUs over time",
            rows,
            *columns,
            note="demand: GPUs that the rate fills at full load; of each policy those that are paid for, whether they "
            "serve, start or drain",
        )

    def of_each(self) -> StudyTable:
        """Return the table of demand, capacity, SLO and decisions over time of every policy, which is to be drawn."""
        every, spans = self._every(FINE_ROWS), len(self.case.figures[0].gpus)
        demand = {at: self._demand(at, min(at + every, spans)) for at in range(0, spans, every)}
        rows = [Stretch(one=one, first=at, last=min(at + every, spans)) for one in self.case.figures for at in demand]
        table = table_of(
            "each policy over time",
            rows,
            ("policy", "text", lambda row: row.one.policy),
            ("hour", "number", lambda row: row.first * SPAN / HOUR),
            ("demand", "count", lambda row: demand[row.first]),
            ("gpus", "count", lambda row: row.gpus),
            ("slo_met", "share", lambda row: row.met),
            ("decided", "text", self._decided),
            note="demand, GPUs that are paid for, the SLO that is kept and what was decided why, in the first run: a "
            "picture for each policy in the app, figures with --json",
        )
        return replace(table, drawn=True)

    def decisions(self) -> StudyTable:
        """Return the largest changes of the best policy that changes, with its reasons, in the first run."""
        moving = [one for one in (self.case.best, *front(self.case.figures), *self.case.figures) if one is not None]
        chosen = next((one for one in moving if len(one.choices[0]) > 1), moving[0])
        steps = [(after.target - before.target, after) for before, after in pairwise(chosen.choices[0])]
        largest = sorted(sorted(steps, key=lambda one: -abs(one[0]))[:TOLD], key=lambda one: one[1].moment)
        return table_of(
            f"largest changes of {chosen.policy}",
            largest,
            ("hour", "number", lambda row: row[1].moment / HOUR),
            ("change", "count", lambda row: row[0]),
            ("replicas", "count", lambda row: row[1].target),
            ("why", "text", _why),
            note="in the first run" + (f", of pool {self.case.pools[0].name}" if len(self.case.pools) > 1 else ""),
        )

    def _every(self, rows: int) -> int:
        return max(1, math.ceil(self.case.asked.day.end / SPAN / rows))

    def _drawn(self) -> tuple[PolicyFigures, ...]:
        base = self.case.held_to
        cheaper = [one for one in reversed(front(self.case.figures)) if cost(one) < cost(base)]
        wanted = [base, self.case.best, *cheaper, *self.case.figures]
        found = {one.policy: one for one in wanted if one is not None}
        return tuple(found.values())[:DRAWN]

    def _demand(self, first: int, last: int) -> float:
        ends = first * SPAN, last * SPAN
        return sum(_filled(one, ends[0], min(ends[1], one.site.day.end)) * one.gpus for one in self.case.pools)

    def _decided(self, row: Stretch) -> Cell:
        """Return what each pool was to have at the end of some spans, since when, and why."""
        found = []
        for pool, choices in zip(self.case.pools, row.one.choices, strict=True):
            known = [one for one in choices if one.moment < row.last * SPAN]
            named = f"{pool.name}: " if len(self.case.pools) > 1 else ""
            since = f"since {clock(known[-1].moment)}: " if known[-1].moment else ""
            found.append(f"{named}{counted(known[-1].target, 'replica')} {since}{known[-1].reason}")
        return "; ".join(found)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _mean_of(gpus: Sequence[float], every: int) -> Callable[[int], Cell]:
    return lambda at: _mean(gpus[at : at + every])


def _filled(pool: PoolSite, start: float, end: float) -> float:
    """Return the replicas that the mean rate between two moments fills at full load."""
    parts = (max(0.0, min(one.end, end) - max(one.start, start)) * one.rate for one in pool.site.day.windows)
    return pool.site.replicas(math.fsum(parts) / (end - start))


def _why(row: tuple[int, Choice]) -> Cell:
    return row[1].reason
