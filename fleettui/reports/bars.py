"""A whole by its parts as values: labelled rows with a bar for each of some wholes; any front end draws it."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """One whole: its title, its parts in the order of the rows, not below zero, and how each is written."""

    title: str
    parts: tuple[float, ...]
    told: tuple[str, ...]

    def share(self, row: int) -> float:
        """Return the share of a row's part, 0 of nothing."""
        total = sum(self.parts)
        return self.parts[row] / total if total > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Rows of parts under a title; all `wholes` have one part for each of `labels`. `summary` says what is seen."""

    title: str
    labels: tuple[str, ...]
    wholes: tuple[Whole, ...]
    summary: str

    def __post_init__(self) -> None:
        for whole in self.wholes:
            if not len(whole.parts) == len(whole.told) == len(self.labels):
                raise InputError("a whole has not one part per label", value=whole.title)

    @property
    def largest(self) -> float:
        """The largest share of any part, which has the longest bar."""
        return max((whole.share(row) for whole in self.wholes for row in range(len(self.labels))), default=0.0)

    def rows(self, most: int) -> tuple[int, ...]:
        """Return the places of at most so many rows, those with the largest shares, in their order."""
        by_share = sorted(range(len(self.labels)), key=lambda row: -max(one.share(row) for one in self.wholes))
        return tuple(sorted(by_share[: max(most, 0)]))
