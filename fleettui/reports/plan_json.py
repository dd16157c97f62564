"""The answer as the JSON of schema 1: keys may be added, never renamed; SI units; null where undefined."""

from __future__ import annotations

from typing import Any

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.serialization import to_plain

SCHEMA = 1


def envelope(command: str, **content: object) -> dict[str, Any]:
    """Return the object that every command prints: schema, command, and the content as plain JSON values."""
    return {"schema": SCHEMA, "command": command, **{name: to_plain(value) for name, value in content.items()}}


def plan_json(answer: Answer, command: str = "plan") -> dict[str, Any]:
    """Return `answer` as the object that `plan --json` and `show --json` print."""
    return envelope(
        command,
        verdict=answer.verdict,
        plan=answer.plan,
        demand=answer.demand,
        answer=None if answer.answer is None else candidate_json(answer.answer),
        why=answer.why,
        candidates=[candidate_json(candidate) for candidate in answer.candidates],
        excluded=answer.excluded,
        warnings=answer.warnings,
    )


def candidate_json(candidate: Candidate) -> dict[str, Any]:
    """Return one candidate; `evidence` is null where nothing but the ranking formula has seen it."""
    plain: dict[str, Any] = to_plain(candidate)
    return plain
