"""One cell of a row as a token count or a time, with the refusal that names file, line and value."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from pathlib import Path

from fleettui.errors import InputError
from fleettui.workloads.formats.base import MOST_TOKENS

_WHOLE = re.compile(r"\s*\+?(\d+)(?:\.0*)?\s*", re.ASCII)


def tokens(value: object, column: str, path: Path, line: int) -> int:
    """Return a token count; a number such as 5.0 is whole. Raises InputError for anything but 1, 2, 3, ..."""
    count = _whole(value)
    if count is None or not 0 < count <= MOST_TOKENS:
        raise InputError(
            f"{column} is not a whole number of tokens above zero",
            where=f"{path}: line {line}",
            value=value,
            accepted=f"1, 2, 3, ... up to {MOST_TOKENS:,}",
            remedy="correct the row, or leave it out",
        )
    return count


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    found = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    return int(found[1][:12]) if found else None


def seconds(value: object, column: str, path: Path, line: int) -> float:
    """Return a number of seconds; raises InputError unless `value` is a finite number or its text."""
    try:
        if isinstance(value, (int, float, str)) and not isinstance(value, bool):
            number = float(value)
            if math.isfinite(number):
                return number
    except (ValueError, OverflowError):
        pass
    raise InputError(
        f"{column} is not a time in seconds",
        where=f"{path}: line {line}",
        value=value,
        accepted="a finite number of seconds",
        remedy="correct the row",
    )


def clock(value: object, column: str, path: Path, line: int) -> float:
    """Return seconds since 1970 of an ISO 8601 date and time (UTC unless it says otherwise); raises InputError."""
    try:
        moment = datetime.fromisoformat(str(value).strip())
    except ValueError:
        raise InputError(
            f"{column} is not a date and time",
            where=f"{path}: line {line}",
            value=value,
            accepted="such as 2023-11-16 18:17:03.9799600",
            remedy="correct the row",
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
