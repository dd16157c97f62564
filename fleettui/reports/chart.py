"""A picture of figures as values: series over two axes, limits, notes and one sentence; any front end draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import Literal, NamedTuple

from fleettui.errors import InputError

Style = Literal["line", "step", "points"]
Point = tuple[float, float]

LARGEST = 1e300
"""Beyond this a number is as good as infinite: it is left out of a picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Points (x, y) of one kind. A step keeps its value until the next point; `keys` name points that can be chosen.

    Each of these may have `words` that are said of it where it is chosen.

    Of a line's cells every so-manyth is drawn, which tells it apart from others. Its sign is `letter`, or one of its
    name; it stands on the point `at`, or wherever it is read best.
    """

    name: str
    points: tuple[Point, ...]
    style: Style = "line"
    keys: tuple[str, ...] = ()
    every: int = 1
    letter: str = ""
    at: int | None = None
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.keys and len(self.keys) != len(self.points):
            raise InputError("a series has not one key per point", value=len(self.keys), accepted=str(len(self.points)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A limit or a percentile: where it lies on its axis, and what is written beside it."""

    value: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """What is measured and how its values are written. `low` and `high` None follow the data.

    `base` says what a log axis counts in: decades, or powers of two.
    """

    label: str
    write: Callable[[float], str]
    log: bool = False
    base: Literal[2, 10] = 10
    low: float | None = None
    high: float | None = None

    def shows(self, value: float) -> bool:
        """Return whether `value` has a place on this axis: it is finite, and above zero where the axis is log."""
        return abs(value) <= LARGEST and (value >= 1 / LARGEST or not self.log)


class Choice(NamedTuple):
    """A point that can be chosen."""

    key: str
    x: float
    y: float
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Series over two axes, the last on top. `levels` lie on y, `stops` on x; `summary` says in words what is seen."""

    title: str
    series: tuple[Series, ...]
    x: Axis
    y: Axis
    levels: tuple[Mark, ...] = ()
    stops: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()
    summary: str

    def shown(self, series: Series) -> tuple[Point, ...]:
        """Return the points of `series` that have a place on both axes."""
        return tuple((x, y) for x, y in series.points if self.x.shows(x) and self.y.shows(y))

    def choices(self) -> tuple[Choice, ...]:
        """Return the points that can be chosen, in the order of x."""
        found = [
            Choice(key, x, y, words)
            for series in self.series
            for key, (x, y), words in zip(series.keys, series.points, series.words or repeat(""), strict=False)
            if self.x.shows(x) and self.y.shows(y)
        ]
        return tuple(sorted(found, key=lambda one: (one.x, one.y, one.key)))


def corners(points: Sequence[Point]) -> Iterator[Point]:
    """Yield where a line turns that keeps each value until the next point.

    >>> list(corners([(0, 1), (2, 3)]))
    [(0, 1), (2, 1), (2, 3)]
    """
    for (x, y), (next_x, _) in pairwise(points):
        yield x, y
        yield next_x, y
    yield from points[-1:]
