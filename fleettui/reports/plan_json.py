"""The answer as the JSON of schema 1: keys may be added, never renamed; SI units; null where undefined."""

from __future__ import annotations

from typing import Any

from fleettui.domain.meter import Meter
from fleettui.domain.plan import Answer
from fleettui.domain.serialization import to_plain

SCHEMA = 1


def envelope(command: str, **content: object) -> dict[str, Any]:
    """Return the object that every command prints: schema, command, and the content as plain JSON values."""
    return {"schema": SCHEMA, "command": command, **{name: to_plain(value) for name, value in content.items()}}


def plan_json(answer: Answer, command: str = "plan", meter: Meter | None = None) -> dict[str, Any]:
    """Return `answer` as the object that `plan --json` and `show --json` print, with `meter` where that was asked."""
    return envelope(
        command,
        verdict=answer.verdict,
        plan=answer.plan,
        demand=answer.demand,
        answer=answer.answer,
        why=answer.why,
        candidates=answer.candidates,
        excluded=answer.excluded,
        warnings=answer.warnings,
        confidence=answer.confidence,
        decides=answer.decides,
        **({} if meter is None else {"meter": meter}),
    )
