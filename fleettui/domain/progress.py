"""How far a task has come, as workers report it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """`done` of `total` steps (total 0: unknown) and a short sentence on what is under way."""

    message: str
    done: int = 0
    total: int = 0
