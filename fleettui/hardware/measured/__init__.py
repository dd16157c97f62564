"""Measured runs of the tools that people bench with, each format with `sniff` and `read`; known by content alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fleettui.domain.registry import Registry
from fleettui.domain.validation import MeasuredPoint, Setup
from fleettui.errors import InputError
from fleettui.hardware.measured import aiperf, guidellm, inference_perf, inferencex, own_csv, vllm_bench
from fleettui.hardware.measured.base import Content, Format, Skipped
from fleettui.hardware.measured.content import read_content
from fleettui.hardware.measured.point import point

LINES_TOLD = 5
"""Lines that are named of those skipped for one reason."""


FORMATS: Registry[Format] = Registry(
    "format",
    vllm_bench.FORMAT,
    guidellm.FORMAT,
    inference_perf.FORMAT,
    inferencex.FORMAT,
    aiperf.FORMAT,
    own_csv.FORMAT,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a file holds: its format's name, the points that can be used, and the rows that cannot.

    `digest` is the SHA-256 of the bytes that were read.
    """

    format: str
    digest: str
    points: tuple[MeasuredPoint, ...]
    skipped: tuple[Skipped, ...]


def read_points(path: Path, setup: Setup | None = None) -> Reading:
    """Return the points of a file; a row that is no usable run is skipped with its line and why.

    `setup` says what the file does not. Raises InputError naming the file where it is of no known format, or no row of
    it can be used.
    """
    content = read_content(path)
    form = _sniffed(content, str(path))
    points: list[MeasuredPoint] = []
    skipped = list(content.skipped)
    for run in form.read(content):
        try:
            points.append(point(run, setup or Setup()))
        except InputError as error:
            skipped.append(Skipped(line=run.line, why=error.said))
    if not points:
        why = "; ".join(f"{count} of them: {reason}" for reason, count in counted(skipped)[:2])
        raise InputError(
            f"holds no measured point that can be used, of {len(skipped)} rows" + (f"; {why}" if why else ""),
            where=str(path),
            accepted=form.help,
            remedy="mend the rows, or say with --model, --gpu, --engine, --dtype, --kv-dtype or --tp what it does not",
        )
    return Reading(format=form.name, digest=content.digest, points=tuple(points), skipped=tuple(skipped))


def counted(skipped: Iterable[Skipped]) -> tuple[tuple[str, int], ...]:
    """Return why rows were skipped, with the first lines of each reason, and how many; the commonest first.

    >>> counted([Skipped(line=line, why="TPOT is no time") for line in (3, 7)])
    (('TPOT is no time: lines 3, 7', 2),)
    """
    lines: dict[str, list[int]] = {}
    for one in skipped:
        lines.setdefault(one.why, []).append(one.line)
    ranked = sorted(lines.items(), key=lambda item: (-len(item[1]), item[1]))
    return tuple((f"{why}: {_lines(found)}", len(found)) for why, found in ranked)


def _lines(lines: list[int]) -> str:
    more = len(lines) - LINES_TOLD
    told = ", ".join(map(str, lines[:LINES_TOLD]))
    return f"line{'s' if len(lines) > 1 else ''} {told}" + (f" and {more} more" if more > 0 else "")


def _sniffed(content: Content, where: str) -> Format:
    for one in FORMATS:
        if one.sniff(content):
            return one
    lacking = own_csv.missing(content.header) if content.rows else ()
    raise InputError(
        "is of no known format" + (f"; columns are missing: {', '.join(lacking)}" if lacking else ""),
        where=where,
        value=", ".join(content.header or content.first) or None,
        accepted="; ".join(one.help for one in FORMATS),
    )
