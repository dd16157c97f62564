"""What the fields of frozen values may hold, declared in their annotations; each failure names field and value.

A field says its range where it stands: `headroom: Annotated[float, BELOW_ONE] = 0.0`, or by one of the names below,
`headroom: ShareBelowOne = 0.0`. `fields` holds a value to what its annotations say, its Literals included.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, cast, get_args, get_origin, get_type_hints

from fleettui.errors import InputError

TOO_LARGE = "is larger than any number that can be reckoned with"


class Range(NamedTuple):
    """The finite numbers from `low` to `high`, without the ends that are `open`.

    `what` and `accepted` are the words of a refusal: what is said of the field, and what it may hold.
    """

    what: str
    accepted: str
    low: float = -math.inf
    high: float = math.inf
    open: Literal["", "low", "high", "both"] = ""

    def holds(self, value: float) -> bool:
        """Return whether `value` is one of the numbers."""
        above = self.low < value if self.open in ("low", "both") else self.low <= value
        below = value < self.high if self.open in ("high", "both") else value <= self.high
        return abs(value) <= sys.float_info.max and above and below

    def check(self, name: str, value: float) -> None:
        """Raise InputError unless `value`, that of the field called `name`, is one of the numbers."""
        if not self.holds(value):
            what = TOO_LARGE if sys.float_info.max < value < math.inf else self.what
            raise InputError(f"{name} {what}", value=value, accepted=self.accepted)


_SHARE_BELOW = "a percentage below 100%, or a number below 1"
ABOVE_ZERO = Range(what="must be above zero", accepted="a finite number above 0", low=0, open="low")
FROM_ZERO = Range(what="must not be negative", accepted="a finite number, 0 or above", low=0)
FROM_ONE = Range(what="must not be below 1", accepted="a finite number, 1 or above: 1.3", low=1)
FROM_ZERO_TO_ONE = Range(what="is not a share", accepted="a number from 0 to 1, or a percentage", low=0, high=1)
ABOVE_ZERO_TO_ONE = Range(
    what="must be above 0 and at most 1",
    accepted="a number above 0 and up to 1, or a percentage",
    low=0,
    high=1,
    open="low",
)
OPEN_SHARE = Range(what="must be below 1 and above 0", accepted=_SHARE_BELOW, low=0, high=1, open="both")
BELOW_ONE = Range(what="must be below 1", accepted=_SHARE_BELOW, low=0, high=1, open="high")

Positive = Annotated[float, ABOVE_ZERO]
PositiveCount = Annotated[int, ABOVE_ZERO]
NotNegative = Annotated[float, FROM_ZERO]
Share = Annotated[float, FROM_ZERO_TO_ONE]
ShareAboveZero = Annotated[float, ABOVE_ZERO_TO_ONE]
OpenShare = Annotated[float, OPEN_SHARE]
ShareBelowOne = Annotated[float, BELOW_ONE]

positive, not_negative, share, open_share = ABOVE_ZERO.check, FROM_ZERO.check, FROM_ZERO_TO_ONE.check, OPEN_SHARE.check


def one_of(name: str, value: str, known: Collection[str]) -> None:
    """Raise InputError unless `value` is among `known`."""
    if value not in known:
        raise InputError(f"unknown {name}", value=value, accepted=", ".join(known))


def fields(value: object) -> None:
    """Raise InputError unless every field of a dataclass's value is in its range, or is a word that it may hold.

    A field that is None has no range.
    """
    for name, rule in _rules(cast(Hashable, type(value))).items():
        found = getattr(value, name)
        if found is None or found in rule.words:
            continue
        if rule.range is not None:
            rule.range.check(name, found)
        else:
            one_of(name, found, rule.words)


def range_of(kind: type[Any], name: str) -> Range | None:
    """Return the range that the field called `name` is annotated with, None where it has none."""
    rule = _rules(cast(Hashable, kind)).get(name)
    return None if rule is None else rule.range


class _Rule(NamedTuple):
    """What a field may hold beside None: numbers of a range, and words."""

    range: Range | None
    words: tuple[str, ...]


@cache
def _rules(kind: Hashable) -> dict[str, _Rule]:
    """Return what each field of a dataclass may hold where its annotation says so."""
    found: dict[str, _Rule] = {}
    for name, hint in get_type_hints(cast(type[Any], kind), include_extras=True).items():
        parts = (hint, *get_args(hint))
        ranges = (mark for part in parts for mark in getattr(part, "__metadata__", ()) if isinstance(mark, Range))
        words = tuple(word for part in parts if get_origin(part) is Literal for word in get_args(part))
        rule = _Rule(next(ranges, None), words)
        if rule.range is not None or rule.words:
            found[name] = rule
    return found


def check_columns(names: Sequence[str], where: str) -> None:
    """Raise InputError where a table has a column twice, in whatever case; columns without a name may be many."""
    counted = Counter(name.casefold() for name in names if name)
    if twice := [name for name in names if counted[name.casefold()] > 1]:
        raise InputError(
            f"the column {twice[0]} stands twice",
            where=where,
            value=",".join(names),
            remedy="remove the one that is not meant",
        )
