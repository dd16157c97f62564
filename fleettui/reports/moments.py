"""Times as they are stored, for reading."""

from __future__ import annotations


def minute(stored: str) -> str:
    """Return a time to the minute.

    >>> minute("2026-11-21T20:51:01.000Z")
    '2026-11-21 20:51'
    """
    return stored[:16].replace("T", " ")


def day_and_minute(stored: str) -> str:
    """Return the same without its year, as lists show it.

    >>> day_and_minute("2026-11-21T20:51:01.000Z")
    '11-21 20:51'
    """
    return minute(stored)[5:]
