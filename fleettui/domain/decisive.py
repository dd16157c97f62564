"""The guessed or default input that decides most about a fleet's size."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisive:
    """A key of a question by `name`, its value `now` and at an `other`, as texts, and the fleet that the other needs.

    `gpus` and `cost` (US dollars an hour) are those of the same shape of fleet at the step times predicted; None where
    no size of it does.
    """

    name: str
    now: str
    other: str
    gpus: int | None
    cost: float | None
