"""Candidates by cost and latency: which hold the limits, which no other beats, and where the plan stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from fleettui.domain.limit import TTFT, Latency
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_text, units
from fleettui.reports.chart import Axis, Chart, Mark, Series

LOG_FROM = 5.0
"""Latencies further apart than this factor are drawn on a log axis."""
CENTS = 9
"""Decimals to which costs are told apart: sums of equal prices differ beyond."""


class Spent(NamedTuple):
    """What candidates take: its unit, how much one takes, how that is written, and the words for less and least."""

    unit: str
    of: Callable[[Candidate], float]
    write: Callable[[float], str]
    less: str
    least: str


COST = Spent("$/h", lambda one: one.cost_per_hour, units.dollars_per_hour, "cheaper", "cheapest")
POWER = Spent("power", lambda one: one.power, units.watts, "on less power", "most frugal")


class _Placed(NamedTuple):
    """A candidate with what it is drawn at: what it takes, and the latency in its worst pool in seconds."""

    candidate: Candidate
    spent: float
    latency: float
    holds: bool


def candidate_chart(
    candidates: Sequence[Candidate],
    question: Question,
    answer: str = "",
    by: Spent = COST,
    *,
    of: Latency | None = None,
) -> Chart:
    """Return what candidates take against a latency in the worst pool, the first that is limited unless said.

    `answer` is the plan's id or handle.

    What no other beats in both can be chosen: among those that hold every limit, or among all where none does.
    """
    latency: Latency = of or next(iter(question.slo.limits()), TTFT.latency)
    allowed, what = question.slo.limit_on(latency), fleet_text.ranked(latency, question.slo)
    placed = [one for one in (_placed(candidate, latency, question, by) for candidate in candidates) if one is not None]
    holding = [one for one in placed if one.holds]
    frontier = _frontier(holding or placed)
    best = set(map(id, frontier))
    others = [one for one in placed if id(one) not in best]
    plan = [one for one in placed if answer and answer in (one.candidate.candidate, one.candidate.handle)]
    latencies = [one.latency for one in placed]
    log = bool(latencies) and max(latencies) > LOG_FROM * min(latencies) > 0
    return Chart(
        title=f"{what}, worst pool, by {by.unit}",
        series=(
            _series("feasible", [one for one in others if one.holds]),
            _series("misses a limit", [one for one in others if not one.holds]),
            _series("frontier", frontier, chosen=True),
            _series("this plan", plan),
        ),
        x=Axis(label=by.unit, write=by.write),
        y=Axis(label=what, write=units.seconds, log=log),
        levels=() if allowed is None else (Mark(value=allowed, label=f"SLO {units.limit(allowed)}"),),
        summary=_in_words(placed, frontier, plan, what, by),
    )


def _placed(candidate: Candidate, latency: Latency, question: Question, by: Spent) -> _Placed | None:
    found = fleet_text.worst(candidate, latency)
    if found is None or found.value is None:
        return None
    holds = fleet_text.tightest(candidate, question.slo) != "no"
    return _Placed(candidate, by.of(candidate), found.value, holds)


def _frontier(placed: Sequence[_Placed]) -> list[_Placed]:
    """Return those for which no other is at once as frugal and as fast, what takes least first."""
    found: list[_Placed] = []
    for one in sorted(placed, key=lambda one: (round(one.spent, CENTS), one.latency)):
        if not found or one.latency < found[-1].latency:
            found.append(one)
    return found


def _series(name: str, placed: Sequence[_Placed], *, chosen: bool = False) -> Series:
    keys = tuple(one.candidate.candidate or one.candidate.handle for one in placed)
    return Series(
        name=name,
        points=tuple((one.spent, one.latency) for one in placed),
        style="points",
        keys=keys if chosen and all(keys) else (),
    )


def _in_words(
    placed: Sequence[_Placed], frontier: Sequence[_Placed], plan: Sequence[_Placed], what: str, by: Spent
) -> str:
    """Return what the plan takes and how fast it is, and what the next faster one on the frontier takes."""
    if not placed:
        return "no candidate has a latency to show"
    holding = f"{sum(one.holds for one in placed)} of {units.count(len(placed))} feasible"
    if not plan:
        return f"{holding}; the {by.least} of the frontier: {_figures(frontier[0], by, what)}"
    own = plan[0]
    rivals = [one for one in frontier if one.latency < own.latency]
    faster = next((one for one in rivals if units.seconds(one.latency) != units.seconds(own.latency)), None)
    is_less = faster is not None and round(faster.spent, CENTS) < round(own.spent, CENTS)
    step = f"none is {'clearly ' if rivals else ''}faster"
    if faster is not None:
        less = f" and {by.less}" * is_less
        open_ = own.candidate.simulation is not None and faster.candidate.simulation is None
        step = f"faster{less}{' by formula alone' * open_}: {_figures(faster, by)}"
    return f"{holding}; this plan {_figures(own, by, what)}; {step}"


def _figures(one: _Placed, by: Spent, what: str = "") -> str:
    return f"{by.write(one.spent)}, {what} {units.seconds(one.latency)}".replace("  ", " ")
