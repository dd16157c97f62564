"""How busy the pools of a plan's fleet may be: one rule for how sure it is, what it lasts, and what it carries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.plan import Answer, most_busy
from fleettui.domain.scenario import Question
from fleettui.reports import units

if TYPE_CHECKING:
    from fleettui.planning.prepared_fleet import SceneSource


def held_to(question: Question, answer: Answer) -> Question:
    """Return the question that a plan's fleet is held to: as it was asked unless a fleet that was given is busier."""
    return replace(question, max_utilization=most_busy(answer, question))


def scene_held_to(source: SceneSource, answer: Answer) -> SceneSource:
    """Return the scene of the question that a plan's fleet is held to."""
    question = held_to(source.question, answer)
    return source if question == source.question else replace(source, key=f"{source.key} as given", question=question)


def warned(answer: Answer, question: Question) -> tuple[str, ...]:
    """Return that a fleet that was given is busier than a plan's may be, nothing where it is not."""
    most, best = most_busy(answer, question), answer.answer
    if best is None or most <= question.max_utilization:
        return ()
    busy, asked, allowed = map(units.percent, (best.busiest.utilization, question.max_utilization, most))
    return (f"it is {busy} busy, plans at most {asked}: spare, rate and sure are by latencies alone, to {allowed}",)
