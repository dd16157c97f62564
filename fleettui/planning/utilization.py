"""That a given fleet is busier than a plan's may be: it passes by its latencies alone, all else keeps to that."""

from __future__ import annotations

from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.reports import stock_text


def warned(answer: Answer, question: Question) -> tuple[str, ...]:
    """Return that a fleet of which it is told what is spare is busier than was asked of any, nothing where none is."""
    best = answer.answer
    busy = "" if best is None or answer.stock is None else stock_text.busier(best, question.max_utilization)
    return (f"{busy}: spare, rate and sure keep to that; --max-utilization moves it",) if busy else ()
