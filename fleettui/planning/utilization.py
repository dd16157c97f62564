"""That a given fleet is busier than a plan's may be: it passes by its latencies alone, all else keeps to that."""

from __future__ import annotations

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.reports import units


def warned(answer: Answer, question: Question) -> tuple[str, ...]:
    """Return that a fleet of which it is told what is spare is busier than was asked of any, nothing where none is."""
    best, most = answer.answer, question.max_utilization
    if best is None or answer.stock is None or best.busiest.utilization <= most:
        return ()
    busy, asked = units.percent(best.busiest.utilization), units.percent(most)
    return (f"it is {busy} busy, plans at most {asked}: spare, rate and sure keep to that; --max-utilization moves it",)
