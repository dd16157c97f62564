"""CSV traces: whole blocks at once where every cell is plain, row by row where one is not."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from fleettui.domain.checks import check_columns
from fleettui.errors import InputError
from fleettui.workloads.formats import cell_values, csv_columns
from fleettui.workloads.formats.base import TOO_LATE, Chunk, Floats, Syntax, mixed_times
from fleettui.workloads.formats.cell_values import SECONDS, TimeUnit
from fleettui.workloads.formats.line_blocks import Block, blocks, lines_of


@dataclass(frozen=True, slots=True)
class Times:
    """How times in seconds are read: a column of plain cells `at_once`, None where they are not, and `one` cell."""

    at_once: Callable[[csv_columns.Column], Floats | None]
    one: Callable[[object, str, Path, int], float]


def numbers(unit: TimeUnit) -> Times:
    """Return how times are read that count `unit`."""

    def at_once(column: csv_columns.Column) -> Floats | None:
        found = csv_columns.decimals(column)
        return None if found is None else found * unit.length

    return Times(at_once, partial(cell_values.seconds, unit=unit))


IN_SECONDS = numbers(SECONDS)
DATES = Times(csv_columns.moments, cell_values.clock)
"""Times are dates with a time of day."""


def _either(column: csv_columns.Column) -> Floats | None:
    found = csv_columns.decimals(column)
    if found is None:
        return csv_columns.moments(column)
    return None if (found >= TOO_LATE).any() else found


SECONDS_OR_DATES = Times(_either, cell_values.seconds_or_clock)
"""Times are seconds on any clock, or dates with a time of day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The columns that a CSV format needs, whatever their case, and how its times are read.

    Where no column is called `arrival`, the first of `others` that is there has the times.
    """

    arrival: str
    prompt: str
    output: str
    arrival_needed: bool
    times: Times = IN_SECONDS
    others: tuple[str, ...] = ()

    @property
    def syntax(self) -> Syntax:
        """What it is written in."""
        return "CSV"

    @property
    def columns(self) -> frozenset[str]:
        """The names of the columns that are read."""
        return frozenset((self.arrival, self.prompt, self.output, *self.others))

    @property
    def header(self) -> str:
        """The header line with only the columns that are needed."""
        return ",".join((self.arrival, self.prompt, self.output))

    def known_in(self, head: bytes) -> bool:
        """Tell whether the first line of `head` has the columns that this table needs."""
        return not self._missing(self._named(written_in(head.split(b"\n", 1)[0])))

    def read(self, path: Path) -> Iterator[Chunk]:
        """Yield the rows of `path`; raises InputError with file and line where a column or cell is not acceptable."""
        names: list[str] = []
        for block in blocks(path):
            rows = block
            if not names:
                first, _, data = block.data.partition(b"\n")
                written = written_in(first)
                names = self._named(written)
                self._check_header(names, written, path)
                rows = Block(block.first_line + 1, data)
            if rows.data.strip():
                yield self._at_once(rows, names) or self._row_by_row(rows, names, path)

    def _named(self, written: list[str]) -> list[str]:
        """Return the names that are `written` in the first line, those that the table needs as it writes them."""
        own = {name.casefold(): name for name in (self.arrival, self.prompt, self.output)}
        return [own.get(name.casefold(), name) for name in written]

    def _column(self, names: list[str]) -> str:
        """Return the column that the times are in, the table's own where none is."""
        cased = {name.casefold(): name for name in reversed(names)}
        found = (cased[other] for other in self.others if other in cased)
        return self.arrival if self.arrival in names else next(found, self.arrival)

    def _missing(self, names: list[str]) -> list[str]:
        needed = (self.arrival, self.prompt, self.output) if self.arrival_needed else (self.prompt, self.output)
        return [name for name in needed if name not in names]

    def _check_header(self, names: list[str], written: list[str], path: Path) -> None:
        if missing := self._missing(names):
            raise InputError(
                f"the column {missing[0]} is missing",
                where=f"{path}: line 1",
                value=",".join(written),
                accepted=self.header,
                remedy="name the columns in the first line",
            )
        check_columns(written, f"{path}: line 1")

    def _at_once(self, rows: Block, names: list[str]) -> Chunk | None:
        split = csv_columns.split(rows.data, len(names))
        if split is None:
            return None
        prompt = csv_columns.integers(split[names.index(self.prompt)])
        output = csv_columns.integers(split[names.index(self.output)])
        if prompt is None or output is None:
            return None
        lines, column = range(rows.first_line, rows.first_line + len(prompt)), self._column(names)
        if column not in names or not split[names.index(column)].widths.any():
            return Chunk(None, prompt, output, lines)
        arrivals = self.times.at_once(split[names.index(column)])
        return None if arrivals is None else Chunk(arrivals, prompt, output, lines, self._told(column))

    def _told(self, column: str) -> str:
        return "" if column == self.arrival else column

    def _row_by_row(self, rows: Block, names: list[str], path: Path) -> Chunk:
        arrivals: list[float] = []
        prompt: list[int] = []
        output: list[int] = []
        lines: list[int] = []
        column = self._column(names)
        for line, text in lines_of(rows, path):
            row = dict(zip(names, _cells(text, len(names), path, line), strict=True))
            prompt.append(cell_values.tokens(row[self.prompt], self.prompt, path, line))
            output.append(cell_values.tokens(row[self.output], self.output, path, line))
            if timed := row.get(column, "").strip():
                arrivals.append(self.times.one(timed, column, path, line))
            lines.append(line)
            if len(arrivals) not in (0, len(lines)):
                raise mixed_times(path, line)
        return Chunk(
            np.array(arrivals) if arrivals else None,
            np.array(prompt, dtype=np.int32),
            np.array(output, dtype=np.int32),
            lines,
            self._told(column) if arrivals else "",
        )


def written_in(line: bytes) -> list[str]:
    """Return the names in a first line."""
    try:
        return [name.strip() for name in next(csv.reader([line.decode(errors="replace").rstrip("\r")]), [])]
    except csv.Error:
        return []


def _cells(text: str, count: int, path: Path, line: int) -> list[str]:
    try:
        found = next(csv.reader([text]))
    except csv.Error as error:
        raise InputError(f"this is no row of CSV: {error}", where=f"{path}: line {line}", value=text) from None
    if len(found) != count:
        raise InputError(
            f"the row has {len(found)} cells and the header {count}",
            where=f"{path}: line {line}",
            value=text,
            accepted=f"{count} cells separated by commas",
            remedy="correct the row; if it is the last one, the file may be cut off",
        )
    return found
