"""Who is borderline: the requests a little too long for the shorter pool, which Compress-and-Route may rewrite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fleettui.domain import checks
from fleettui.domain.checks import PositiveCount, Range

MOST_GAMMA = 4.0
"""By what factor prompts may be compressed at most."""
Gamma = Annotated[
    float,
    Range(what="is out of range", accepted=f"1.0 (no compression) to {MOST_GAMMA:g}", low=1.0, high=MOST_GAMMA),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Totals of prompt and output tokens above `split`, up to and with ⌊`gamma`·`split`⌋ (model.md §8)."""

    split: PositiveCount
    gamma: Gamma

    def __post_init__(self) -> None:
        checks.fields(self)

    @property
    def up_to(self) -> int:
        """The longest total that is borderline."""
        return int(self.gamma * self.split)

    def holds(self, prompt: int, output: int) -> bool:
        """Return whether a request of so many tokens is borderline.

        >>> band = Band(split=8192, gamma=1.5)
        >>> [band.holds(prompt, 192) for prompt in (8000, 8001, 12096, 12097)]
        [False, True, True, False]
        """
        return self.split < prompt + output <= self.up_to

    def budget(self, output: int) -> int:
        """Return the tokens that a prompt may have to fit below the split with its `output`, 0 where it cannot."""
        return max(self.split - output, 0)
