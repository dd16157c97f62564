"""The guessed or default input that decides most about what a fleet costs."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.serialization import later


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisive:
    """A key of a question by `name`, its value `now` and at an `other`, as texts, and the fleet that the other needs.

    `gpus` and `cost` (US dollars an hour) are those of the same shape of fleet at the step times predicted, or where it
    was `searched`, of the best of all fleets; None where none does. `paid` are the GPUs that `cost` pays for in whole
    nodes, None where these are the `gpus`. Where they are `sure` they suffice in the share of the cases that the
    question wishes.
    """

    name: str
    now: str
    other: str
    gpus: int | None
    cost: float | None
    searched: bool = later(False)
    paid: int | None = later(None)
    sure: bool = later(False)
