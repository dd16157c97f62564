"""How traffic goes over a day: shapes that are shipped, and files of times and rates. Light: loads no arrays.

A shape is a JSON object, `day-shape/1`: seconds of a `window`, and each window's rate as a share of the highest. A file
has a header and a row per window: `start,end,rate`, or `start,rate` in windows of one length. Times are seconds, or
hours and minutes (08:30); rates are requests per second. A column `workload` names the lengths of a window's requests:
a shipped workload, or a file beside this one; where a row leaves it empty they are those of the question.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from fleettui.domain.day import JOIN, Day, Window
from fleettui.errors import InputError, UnknownNameError

FORMAT = "day-shape/1"
DEFAULT = "servegen-deepseek-r1"
MOST_ROWS = 100_000
LARGEST = 16_000_000
"""Characters of a file."""
COLUMNS = {
    **{"start": "start", "t_s": "start", "time": "start", "end": "end", "rate": "rate", "rate_rps": "rate"},
    **{"workload": "workload", "lengths": "workload"},
}
"""What a column is, by the names that it may have."""
ACCEPTED = "columns start, end, rate (or start, rate): seconds or 08:30, and requests per second; workload"
_FOLDER = Path(__file__).parent / "day_shapes"


class _Row(NamedTuple):
    """A row as it reads: seconds, requests per second, and whose lengths, "" for nobody's."""

    start: float
    end: float
    rate: float
    workload: str


def names() -> tuple[str, ...]:
    """Return the names of the shipped shapes, sorted.

    >>> names()
    ('servegen-deepseek-r1', 'servegen-m-large')
    """
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.json")))


def unlike_yours(name: str) -> str:
    """Return that a shipped shape is another service's, empty for a file.

    >>> unlike_yours("mine.csv")
    ''
    """
    return f"the day's shape is another service's, {name}: --day gives yours" if name in names() else ""


def read_day(source: str, *, peak: float, where: str | None = None, mixed: bool = False) -> Day:
    """Return the traffic called or stored at `source`: a shipped shape with its highest rate at `peak`, or a file.

    The rates of a file count as they are. Raises InputError for what does not read, with the row, for a file that names
    workloads unless lengths may be `mixed`, and UnknownNameError for what looks like a name and is none.
    """
    if source in names():
        return _shape(source).scaled(peak)
    day = _file(source, where)
    if day.workloads and not mixed:
        raise InputError(
            "the lengths of this day change, and here they are the plan's all day",
            where=where,
            value=f"{day.name} names {', '.join(day.workloads)}",
            remedy="leave out its column workload; or size by it: fleettui plan --arrivals profile:FILE",
        )
    return day


def _file(source: str, where: str | None) -> Day:
    path = Path(source)
    if not path.suffix and not path.exists():
        raise UnknownNameError("day", source, names(), where=where)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise InputError("this is no day: it is larger than 16 MB", where=where, value=source, accepted=ACCEPTED)
        return _day(source, list(csv.reader(text.splitlines())))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"this file cannot be read: {error}", where=where, value=source) from None


def _shape(name: str) -> Day:
    found = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert found["format"] == FORMAT, found["format"]
    seconds = float(found["window"])
    windows = (
        Window(start=place * seconds, end=(place + 1) * seconds, rate=float(rate))
        for place, rate in enumerate(found["shape"])
    )
    return Day(name=name, windows=tuple(windows), source=found["source"])


def _day(source: str, rows: Sequence[Sequence[str]]) -> Day:
    name = Path(source).name
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    if len(filled) < 2 or len(filled) > MOST_ROWS:
        raise InputError(
            "this is no day",
            where=name,
            value=f"{len(filled)} rows",
            accepted=ACCEPTED,
            remedy=f"write a header and up to {MOST_ROWS:,} rows: start,rate and then 00:00,12.5",
        )
    columns = [COLUMNS.get(cell.strip().lower(), "") for cell in filled[0]]
    if "start" not in columns or "rate" not in columns:
        raise InputError("its columns are not known", where=name, value=", ".join(filled[0]), accepted=ACCEPTED)
    read = [_row(f"{name}: row {place}", columns, row) for place, row in enumerate(filled[1:], start=1)]
    windows = tuple(_closed(name, read) if "end" not in columns else _open(read))
    return Day(name=name, windows=windows, source=name)


def _row(where: str, columns: Sequence[str], row: Sequence[str]) -> _Row:
    if len(row) < len(columns):
        raise InputError("it has fewer cells than there are columns", where=where, value=",".join(row))
    found = dict(zip(columns, row, strict=False))
    return _Row(
        start=_moment(found["start"], where),
        end=_moment(found["end"], where) if "end" in found else math.nan,
        rate=_number(found["rate"], where),
        workload=found.get("workload", "").strip(),
    )


def _open(rows: Sequence[_Row]) -> Iterator[Window]:
    for row in rows:
        yield Window(start=row.start, end=row.end, rate=row.rate, workload=row.workload)


def _closed(name: str, rows: Sequence[_Row]) -> Iterator[Window]:
    """Yield windows that end where the next begins, all of one length; raises InputError where a row is missing."""
    if len(rows) < 2:
        raise InputError("how long its row lasts is not known", where=name, remedy="add a column end")
    seconds = rows[1].start - rows[0].start
    for place, (before, after) in enumerate(pairwise(rows), start=2):
        apart = after.start - before.start
        if abs(apart - seconds) > max(JOIN, 1e-9 * abs(after.start)):
            missing = apart > seconds
            raise InputError(
                "there is a gap before it" if missing else "it overlaps the one before it",
                where=f"{name}: row {place}",
                value=f"{apart:g} s after the row before it, the first two are {seconds:g} s apart",
                remedy="add the rows that are missing, or a column end"
                if missing
                else "let the times rise evenly, or add a column end",
            )
    yield from _open([row._replace(end=row.start + seconds) for row in rows])


def _number(text: str, where: str) -> float:
    try:
        found = float(text.strip().removesuffix("/s"))
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise InputError("this is no rate", where=where, value=text, accepted="requests per second: 12.5")
    return found


def _moment(text: str, where: str) -> float:
    """Return seconds.

    >>> _moment("08:30", ""), _moment("600", "")
    (30600.0, 600.0)
    """
    parts = text.strip().split(":")
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3 or not all(math.isfinite(one) for one in numbers):
        raise InputError("this is no time", where=where, value=text, accepted="seconds from the start: 600, or 08:30")
    if len(numbers) == 1:
        return numbers[0]
    hours, minutes, *seconds = numbers
    return hours * 3600.0 + minutes * 60.0 + sum(seconds)
