"""One cell of a row as a token count or a time, with the refusal that names file, line and value."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fleettui.errors import InputError
from fleettui.workloads.formats.base import MOST_TOKENS, TOO_LATE

_WHOLE = re.compile(r"\s*\+?(\d+)(?:\.0*)?\s*", re.ASCII)
MOMENT = "2023-11-16 18:17:03.9799600"
"""A date and time as an example, in messages."""


@dataclass(frozen=True, slots=True)
class TimeUnit:
    """What the numbers of a column of times count, by name, and how many seconds one of them is."""

    name: str
    length: float


SECONDS, MILLISECONDS = TimeUnit("seconds", 1.0), TimeUnit("milliseconds", 1e-3)


def tokens(value: object, column: str, path: Path, line: int) -> int:
    """Return a token count; a number such as 5.0 is whole. Raises InputError for anything but 1, 2, 3, ..."""
    count = _whole(value)
    if count is None or not 0 < count <= MOST_TOKENS:
        what, accepted = f"{column} is not a whole number of tokens above zero", f"1, 2, 3, ... up to {MOST_TOKENS:,}"
        raise _refused(what, value, path, line, accepted, remedy="correct the row, or leave it out")
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


def seconds(value: object, column: str, path: Path, line: int, unit: TimeUnit = SECONDS) -> float:
    """Return in seconds a time told in `unit`; raises InputError unless `value` is a finite number or its text."""
    number = _number(value)
    if number is None:
        raise _refused(f"{column} is not a time in {unit.name}", value, path, line, f"a finite number of {unit.name}")
    return number * unit.length


def _number(value: object) -> float | None:
    """Return a finite number or that of a text, None for anything else."""
    if not isinstance(value, (int, float, str)) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def clock_of_text(value: str, column: str, path: Path, line: int, unit: TimeUnit) -> float:
    """Return what `clock` does of a text where `unit` is that of numbers; raises InputError in words that fit both."""
    try:
        return _moment(value)
    except ValueError:
        what = "is a number given as text" if _number(value) is not None else f"is neither {unit.name} nor a date"
        accepted = f"a number of {unit.name} without quotation marks, or a date and time such as {MOMENT}"
        raise _refused(f"{column} {what}", value, path, line, accepted) from None


def seconds_or_clock(value: object, column: str, path: Path, line: int) -> float:
    """Return in seconds a number of them, or a date and time as `clock` does; raises InputError for anything else."""
    number = _number(value)
    if number is None:
        accepted = f"a number of seconds, or a date and time such as {MOMENT}"
        try:
            return _moment(str(value))
        except ValueError:
            raise _refused(f"{column} is neither seconds nor a date", value, path, line, accepted) from None
    if number >= TOO_LATE:
        what, remedy = f"{column} is too late for a time in seconds", "divide milliseconds by 1,000"
        raise _refused(what, value, path, line, "seconds", remedy=remedy)
    return number


def clock(value: object, column: str, path: Path, line: int) -> float:
    """Return seconds since 1970 of an ISO 8601 date and time (UTC unless it says otherwise); raises InputError."""
    try:
        return _moment(str(value))
    except ValueError:
        raise _refused(f"{column} is not a date and time", value, path, line, f"such as {MOMENT}") from None


def _moment(text: str) -> float:
    moment = datetime.fromisoformat(text.strip())
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _refused(
    what: str, value: object, path: Path, line: int, accepted: str, *, remedy: str = "correct the row"
) -> InputError:
    """Return the refusal of a cell that names file, line and value."""
    return InputError(what, where=f"{path}: line {line}", value=value, accepted=accepted, remedy=remedy)
