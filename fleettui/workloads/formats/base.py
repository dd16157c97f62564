"""What a format is: a name, a test on a file's first bytes, and a reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from fleettui.domain.workload import Workload
from fleettui.errors import InputError

Floats: TypeAlias = npt.NDArray[np.float64]
Tokens: TypeAlias = npt.NDArray[np.int32]
Syntax: TypeAlias = Literal["CSV", "JSON"]

MOST_TOKENS = 2**31 - 1
TOO_LATE = 1e11
"""No clock shows so many seconds: it counts milliseconds, or less."""


class Chunk(NamedTuple):
    """Some successive requests of a trace: seconds (None: untimed), prompt and output tokens, and file lines.

    `column` has the times, where that is not the one that the format names.
    """

    arrivals: Floats | None
    prompt: Tokens
    output: Tokens
    lines: Sequence[int] = ()
    column: str = ""


class Rows(Protocol):
    """How requests are written, one per row: a `Table` of CSV or `Objects` of JSON."""

    @property
    def syntax(self) -> Syntax:
        """What they are written in."""

    @property
    def columns(self) -> frozenset[str]:
        """The names of the columns or keys that are read."""

    def known_in(self, head: bytes) -> bool:
        """Tell whether a file's first bytes are such rows."""

    def read(self, path: Path) -> Iterator[Chunk]:
        """Yield chunks in file order; times need not be checked for order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFormat:
    """One request per row, written as `rows` says; `known_by` says in a few words how a file of it looks.

    `sample` is a file of the format, and `requests` what is read of it: seconds (None: untimed), prompt, output tokens.
    The tests hold the format to both.
    """

    name: str
    help: str
    known_by: str
    rows: Rows
    sample: str
    requests: tuple[tuple[float | None, int, int], ...]

    @property
    def syntax(self) -> Syntax:
        """What it is written in."""
        return self.rows.syntax

    @property
    def columns(self) -> frozenset[str]:
        """The names of the columns or keys that are read."""
        return self.rows.columns

    def sniff(self, head: bytes) -> bool:
        """Tell whether a file's first bytes are of the format."""
        return self.rows.known_in(head)

    def read(self, path: Path) -> Iterator[Chunk]:
        """Yield chunks in file order; times need not be checked for order."""
        return self.rows.read(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionFormat:
    """Lengths already summed up. `read` takes the path, an output share or None, and the name of a part or None.

    `known_by` says in a few words how a file of it looks, `syntax` what it is written in, `sample` is one. It has no
    `columns`.
    """

    name: str
    help: str
    known_by: str
    syntax: Syntax
    sniff: Callable[[bytes], bool]
    read: Callable[[Path, float | None, str | None], Workload]
    sample: str
    columns: frozenset[str] = frozenset()


Format: TypeAlias = TraceFormat | DistributionFormat


def in_order(chunks: Iterator[Chunk], path: Path) -> Iterator[Chunk]:
    """Pass chunks on; raise InputError where times are negative, late, run backwards, or stop or start being given."""
    last: float | None = None
    timed: bool | None = None
    for chunk in chunks:
        if timed is not None and timed != (chunk.arrivals is not None):
            raise mixed_times(path, chunk.lines[0])
        timed = chunk.arrivals is not None
        if chunk.arrivals is not None:
            _check_order(chunk.arrivals, last, chunk.lines, path)
            last = float(chunk.arrivals[-1])
        yield chunk


def _check_order(arrivals: Floats, last: float | None, lines: Sequence[int], path: Path) -> None:
    before = np.concatenate(([arrivals[0] if last is None else last], arrivals[:-1]))
    seconds, count = "seconds, 0 or above, or dates", "count from the first request on"
    for wrong, what, accepted, remedy in (
        (arrivals[:1] < 0.0, "the time is negative", seconds, count),
        (
            arrivals < before,
            "the time runs backwards",
            "{:.15g} s or later, the time of the row before",
            "sort the rows by arrival",
        ),
        (arrivals >= TOO_LATE, "the time is too late", f"less than {TOO_LATE:.0e} seconds, or dates", count),
    ):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InputError(
                what,
                where=f"{path}: line {lines[row]}",
                value=float(arrivals[row]),
                accepted=accepted.format(before[row]),
                remedy=remedy,
            )


def mixed_times(path: Path, line: int) -> InputError:
    """Return the refusal of a file in which some rows have a time and some have none."""
    return InputError(
        "some rows have an arrival time and some have none",
        where=f"{path}: line {line}",
        accepted="a time in every row, or in none",
    )
