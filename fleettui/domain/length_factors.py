"""Requests that are longer or shorter than a workload's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fleettui.domain import checks
from fleettui.errors import InputError

if TYPE_CHECKING:
    from fleettui.domain.scenario import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Factors on the prompt and output tokens of every request; 1 leaves them as they are."""

    prompt: checks.Positive = 1.0
    output: checks.Positive = 1.0

    def __post_init__(self) -> None:
        for name in ("prompt", "output"):
            checks.positive(f"{name} length factor", getattr(self, name))

    def over(self, planned: Lengths) -> Lengths:
        """Return these factors on what was recorded as factors on requests that are planned by others."""
        return Lengths(prompt=self.prompt / planned.prompt, output=self.output / planned.output)


AS_RECORDED = Lengths()


def check(asked: Question) -> None:
    """Raise InputError where a question scales requests of which more is known than their lengths."""
    if asked.lengths == AS_RECORDED:
        return
    beside = {
        "--prefix-cache": asked.prefix_cache,
        "--sessions": asked.sessions,
        "--drop-longer": asked.drop_longer,
    }
    if other := next((name for name, is_asked in beside.items() if is_asked), None):
        raise InputError(
            "what this is about has the lengths that were recorded",
            where=other,
            remedy="leave it out, or --prompt-length and --output-length",
        )
