"""Inputs that were typed as ranges, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from fleettui.domain.typed_range import LENGTHS, TypedRange
from fleettui.reports.question.keys import BY_NAME

_NUMBER = re.compile(r"([\d.]+(?:e[-+]?\d+)?)(.*)")


def told(typed: Iterable[TypedRange]) -> str:
    """Return each range with what the plan is made at.

    >>> told((TypedRange(key="rate", low=80.0, high=120.0),))
    'rate 80/s to 120/s, planned at 98/s'
    """
    return "; ".join(f"{span(one)}, planned at {middle(one)}" for one in typed)


def span(one: TypedRange) -> str:
    """Return a range: what it is of, and its ends.

    >>> span(TypedRange(key="requests-per-user", low=4 / 3600, high=8 / 3600))
    'requests per user 4/h to 8/h'
    """
    return f"{one.key.replace('-', ' ')} {written(one, one.low)} to {written(one, one.high)}"


def middle(one: TypedRange) -> str:
    """Return what the plan is made at to three digits, in the unit of both ends where they have the same.

    >>> middle(TypedRange(key="requests-per-user", low=4 / 3600, high=8 / 3600))
    '5.66/h'
    """
    if one.key in LENGTHS:
        return "1, as recorded"
    (low, unit), (high, other) = (_parted(written(one, end)) for end in (one.low, one.high))
    if unit != other:
        return written(one, float(f"{one.middle:.3g}"))
    return f"{replace(one, low=float(low), high=float(high)).middle:.3g}{unit}"


def written(one: TypedRange, value: float) -> str:
    """Return a value of an input that was typed as a range."""
    return BY_NAME[one.key].form.write(value)


def _parted(text: str) -> tuple[str, str]:
    """Return a number and its unit."""
    found = _NUMBER.fullmatch(text)
    assert found is not None, f"{text} is no quantity"
    return found[1], found[2]
