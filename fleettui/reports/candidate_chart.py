"""Candidates by cost and latency: which hold the limits, which no other beats, and where the plan stands."""

from __future__ import annotations

from collections.abc import Sequence
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


class _Placed(NamedTuple):
    """A candidate with what it is drawn at: dollars an hour, and the latency in its worst pool in seconds."""

    candidate: Candidate
    cost: float
    latency: float
    holds: bool


def candidate_chart(candidates: Sequence[Candidate], question: Question, answer: str = "") -> Chart:
    """Return cost against the first limited latency in the worst pool; `answer` is the plan's id or handle.

    What no other beats in both can be chosen: among those that hold every limit, or among all where none does.
    """
    latency: Latency = next(iter(question.slo.limits()), TTFT.latency)
    allowed, what = question.slo.limit_on(latency), fleet_text.ranked(latency, question.slo)
    placed = [one for one in (_placed(candidate, latency, question) for candidate in candidates) if one is not None]
    holding = [one for one in placed if one.holds]
    frontier = _frontier(holding or placed)
    plan = [one for one in placed if answer and answer in (one.candidate.candidate, one.candidate.handle)]
    latencies = [one.latency for one in placed]
    log = bool(latencies) and max(latencies) > LOG_FROM * min(latencies) > 0
    return Chart(
        title=f"{what} in the worst pool against $/h",
        series=(
            _series("feasible", [one for one in holding if one not in frontier]),
            _series("misses a limit", [one for one in placed if not one.holds and one not in frontier]),
            _series("frontier", frontier, chosen=True),
            _series("this plan", plan),
        ),
        x=Axis(label="$/h", write=units.dollars_per_hour),
        y=Axis(label=what, write=units.seconds, log=log),
        levels=() if allowed is None else (Mark(value=allowed, label=f"SLO {units.limit(allowed)}"),),
        summary=_in_words(placed, frontier, plan, what),
    )


def _placed(candidate: Candidate, latency: Latency, question: Question) -> _Placed | None:
    found = fleet_text.worst(candidate, latency)
    if found is None or found.value is None:
        return None
    holds = fleet_text.tightest(candidate, question.slo) != "no"
    return _Placed(candidate, candidate.cost_per_hour, found.value, holds)


def _frontier(placed: Sequence[_Placed]) -> list[_Placed]:
    """Return those for which no other is at once as cheap and as fast, cheapest first."""
    found: list[_Placed] = []
    for one in sorted(placed, key=lambda one: (round(one.cost, CENTS), one.latency)):
        if not found or one.latency < found[-1].latency:
            found.append(one)
    return found


def _series(name: str, placed: Sequence[_Placed], *, chosen: bool = False) -> Series:
    keys = tuple(one.candidate.candidate or one.candidate.handle for one in placed)
    return Series(
        name=name,
        points=tuple((one.cost, one.latency) for one in placed),
        style="points",
        keys=keys if chosen and all(keys) else (),
    )


def _in_words(placed: Sequence[_Placed], frontier: Sequence[_Placed], plan: Sequence[_Placed], what: str) -> str:
    """Return what the plan costs and how fast it is, and what the next faster one on the frontier costs."""
    if not placed:
        return "no candidate has a latency to show"
    holding = f"{sum(one.holds for one in placed)} of {units.count(len(placed))} feasible"
    if not plan:
        return f"{holding}; the cheapest of the frontier: {_figures(frontier[0], what)}"
    own = plan[0]
    rivals = [one for one in frontier if one.latency < own.latency]
    faster = next((one for one in rivals if units.seconds(one.latency) != units.seconds(own.latency)), None)
    cheaper = " and cheaper" if faster is not None and round(faster.cost, CENTS) < round(own.cost, CENTS) else ""
    step = f"none is {'clearly ' if rivals else ''}faster"
    if faster is not None:
        open_ = own.candidate.simulation is not None and faster.candidate.simulation is None
        step = f"{'by formula alone, not proven' if open_ else f'faster{cheaper}'}: {_figures(faster)}"
    return f"{holding}; this plan {_figures(own, what)}; {step}"


def _figures(one: _Placed, what: str = "") -> str:
    return f"{units.dollars_per_hour(one.cost)}, {what} {units.seconds(one.latency)}".replace("  ", " ")
