"""Why a plan is what it is: what was found of it, and the fleets on which that rests."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.fleet import Fleet
from fleettui.domain.study import StudyTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasons:
    """Findings on a plan: sentences, tables, and what a reader should know of them.

    `to_prove` are fleets on which they rest by formula alone, that which matters most first; `decides` is the one that
    decides most, none where that was simulated.
    """

    sentences: tuple[str, ...] = ()
    tables: tuple[StudyTable, ...] = ()
    warnings: tuple[str, ...] = ()
    to_prove: tuple[Fleet, ...] = ()
    decides: tuple[Fleet, ...] = ()

    def __add__(self, other: Reasons) -> Reasons:
        """Return both, one after the other."""
        return Reasons(
            sentences=self.sentences + other.sentences,
            tables=self.tables + other.tables,
            warnings=self.warnings + other.warnings,
            to_prove=self.to_prove + other.to_prove,
            decides=self.decides + other.decides,
        )
