"""Requests that are longer or shorter than a workload's."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain import checks


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Factors on the prompt and output tokens of every request; 1 leaves them as they are."""

    prompt: float = 1.0
    output: float = 1.0

    def __post_init__(self) -> None:
        for name in ("prompt", "output"):
            checks.positive(f"{name} length factor", getattr(self, name))


AS_RECORDED = Lengths()
