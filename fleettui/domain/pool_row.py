"""A pool of a fleet beside what is known of it. It needs little, so that studies are listed quickly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fleettui.domain.fleet import Pool
    from fleettui.domain.plan import PoolEvidence, PoolFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolRow:
    """A pool, what the formula says of it, and what is `known` of it: the same, or what a simulation saw.

    `limited_by` keeps it from being smaller, as it is known best.
    """

    pool: Pool
    formula: PoolFigures
    known: PoolFigures | PoolEvidence
    limited_by: str

    @property
    def is_seen(self) -> bool:
        """Whether a simulation has seen what is known."""
        return self.known is not self.formula
