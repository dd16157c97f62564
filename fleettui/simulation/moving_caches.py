"""What replicas that come and go hold of prompts, and what their router remembers to have sent them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fleettui.simulation.layout import State


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingCaches:
    """The arrays of a run's caches with a row for each replica, and beside each the row of an empty one."""

    rows: tuple[NDArray[Any], ...]
    blank: tuple[Any, ...]

    @classmethod
    def of(cls, state: State) -> MovingCaches:
        """Return those of a run at its start, when all replicas are alike: none where no prefixes are cached."""
        held = [one for one in (state.cache, state.sent) if one is not None]
        rows = tuple(array for one in held for array in (one.spans, one.nodes, one.table, one.lists))
        return cls(rows=rows, blank=tuple(array[0].copy() for array in rows))

    def empty(self, row: int) -> None:
        """Let a replica without requests hold nothing, as one that was just launched."""
        for array, blank in zip(self.rows, self.blank, strict=True):
            array[row] = blank
