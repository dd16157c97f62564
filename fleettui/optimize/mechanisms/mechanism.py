"""A table of a mechanism: what is printed beside what our engine shows, with the ends of its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fleettui.domain.plan import Estimate
from fleettui.simulation.statistics import estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A figure: its name, what is printed (None where nothing is), ours (None where it cannot be had), and a note."""

    name: str
    printed: float | None = None
    ours: Estimate | None = None
    note: str = ""

    @property
    def shown(self) -> str:
        """Whether ours is a fall or a rise, where its interval leaves out 0."""
        if self.ours is None or self.ours.low is None or self.ours.high is None:
            return ""
        if self.ours.low <= 0.0 <= self.ours.high:
            return "not proven"
        return "lower" if self.ours.high < 0.0 else "higher"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """A table: its title, as FR 5.5, what it is about, and its `rows` by a seed; `tell` is told how far they are."""

    title: str
    about: str
    rows: Callable[[int, Callable[[str, int, int], None]], list[Row]]


def change(values: Sequence[float], plain: Sequence[float]) -> Estimate:
    """Return by what share `values` are above the `plain` ones, run by run, with its 95 % interval.

    >>> found = change([2.0, 4.0], [1.0, 2.0])
    >>> found.value, found.low, found.high
    (1.0, 1.0, 1.0)
    """
    return estimate([one / other - 1.0 for one, other in zip(values, plain, strict=True)])
