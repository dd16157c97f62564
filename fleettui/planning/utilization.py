"""How busy the pools of a plan's fleet may be: one rule for how sure it is, what it lasts, and what it carries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.plan import Answer, was_searched
from fleettui.domain.scenario import Question

if TYPE_CHECKING:
    from fleettui.planning.prepared_fleet import SceneSource

BUSIEST = 0.98
"""How busy a pool of a fleet that is given may be: its limits are latencies, and no simulation of more ends soon."""


def held_to(question: Question, answer: Answer) -> Question:
    """Return the question that a plan's fleet is held to: as it was asked where the fleet was searched for.

    A fleet that was given stays as it is, however busy; a search leaves room by `max_utilization`.
    """
    return question if was_searched(answer, question) else replace(question, max_utilization=BUSIEST)


def scene_held_to(source: SceneSource, answer: Answer) -> SceneSource:
    """Return the scene of the question that a plan's fleet is held to."""
    question = held_to(source.question, answer)
    return source if question == source.question else replace(source, key=f"{source.key} as given", question=question)
