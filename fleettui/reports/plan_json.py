"""The answer as the JSON of schema 1: keys may be added, never renamed; SI units; null where undefined."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fleettui.domain.limiting import limited_by
from fleettui.domain.meter import meter_asked
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.plan_inputs import PlanInputs
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import to_plain
from fleettui.domain.unit_cost import UnitCost
from fleettui.domain.wish import unmet
from fleettui.reports.price_text import price_tags
from fleettui.reports.redundancy_text import cautions

SCHEMA = 1

OF_QUESTION = ("prices", "unit_cost", "meter", "inputs")
"""What a plan as data says beyond its answer: its cost and power under its question, and what it rests on."""


def envelope(command: str, **content: object) -> dict[str, Any]:
    """Return the object that every command prints: schema, command, and the content as plain JSON values."""
    return {"schema": SCHEMA, "command": command, **{name: to_plain(value) for name, value in content.items()}}


def plan_json(
    answer: Answer, command: str = "plan", question: Question | None = None, inputs: PlanInputs | None = None
) -> dict[str, Any]:
    """Return `answer` as the object that `plan --json` and `show --json` print.

    With its `question` it has `unit_cost`, and `meter` where the question says something of it; with its `inputs` a
    later plan can be held to it.
    """
    return envelope(
        command,
        verdict=answer.verdict,
        plan=answer.plan,
        demand=answer.demand,
        answer=None if answer.answer is None else _limited(answer.answer, answer, question),
        why=answer.why,
        candidates=tuple(_limited(one, answer, question) for one in answer.candidates),
        excluded=answer.excluded,
        warnings=answer.warnings if question is None else cautions(answer, question),
        confidence=answer.confidence,
        decides=answer.decides,
        **({} if answer.redundancy is None else {"redundancy": answer.redundancy}),
        **({} if answer.stock is None else {"stock": answer.stock}),
        **({"so_far": answer.so_far} if answer.so_far else {}),
        **({"unmet_wish": wish} if (wish := unmet(answer.why)) else {}),
        **({} if question is None else _of_question(answer, question)),
        **({} if inputs is None else {"inputs": inputs}),
    )


def _limited(one: Candidate, answer: Answer, question: Question | None) -> Candidate:
    """Return a fleet whose pools say what limits them as a table of them does; by formula without its question."""
    if question is None or one.simulation is None:
        return one
    pairs = zip(one.pools, limited_by(one, question, answer.candidates), strict=True)
    return replace(one, pools=tuple(replace(pool, limited_by=by) for pool, by in pairs))


def _of_question(answer: Answer, question: Question) -> dict[str, object]:
    """Return what the answer's cost and power come to under its question."""
    best = answer.answer
    meter = meter_asked(best, question)
    return {
        "prices": () if best is None else price_tags(best, question),
        "unit_cost": None if best is None else UnitCost.of(best, question, answer.demand),
        **({} if meter is None else {"meter": meter}),
    }
