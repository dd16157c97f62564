"""How an input is typed as a range: 80/s:120/s, or 80:120/s, its unit said once."""

from __future__ import annotations

import re
from collections.abc import Callable

from fleettui.errors import InputError

SIGN = ":"
ACCEPTED = "a range low:high"
_BARE = re.compile(r"\s*(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?", re.IGNORECASE)
"""A number without a unit."""


def read(text: str, where: str | None, end: Callable[[str], float]) -> tuple[float, float]:
    """Return both ends of a range, each as `end` reads it; raises InputError.

    A low end without a unit has that of the high one.

    >>> read("80:120/s", None, lambda text: float(text.removesuffix("/s")))
    (80.0, 120.0)
    """
    first, _, last = (part.strip() for part in text.partition(SIGN))
    low, high = end(in_unit_of(last, first)), end(last)
    if low >= high:
        raise InputError("the range is empty", where=where, value=text, accepted="low:high, low below high")
    return low, high


def in_unit_of(last: str, text: str) -> str:
    """Return a text with the unit of the last one, where it is a number without any.

    >>> in_unit_of("12/s", "11.5"), in_unit_of("12/s", "600/min"), in_unit_of("h100", "a100")
    ('11.5/s', '600/min', 'a100')
    """
    number = _BARE.match(last)
    return text + last[number.end() :] if number and _BARE.fullmatch(text) else text


def write(low: str, high: str) -> str:
    """Return the text of a range whose ends have these texts."""
    return f"{low}{SIGN}{high}"
