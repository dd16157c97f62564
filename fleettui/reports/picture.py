"""How the main table of a study is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Which table is drawn, by its place, from which `column` of figures on, and which figure holds between two rows.

    That is what a "line" between them says, or the figure of the row "before", or of the row "after". Without a column
    it is the first that has figures. Where it is `titled`, the table's title says what the picture shows.
    """

    table: int = 0
    column: str = ""
    between: Literal["line", "before", "after"] = "line"
    titled: bool = False
