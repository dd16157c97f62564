"""Trace and distribution formats, each with `sniff` and `read`; known by content, never by file name."""

from __future__ import annotations

from pathlib import Path

from fleettui.errors import InputError, UnknownNameError
from fleettui.workloads.formats import azure, cdf, jsonl, mooncake, normalized
from fleettui.workloads.formats.base import Format
from fleettui.workloads.formats.line_blocks import head


def _registered(*formats: Format) -> tuple[Format, ...]:
    names = [one.name for one in formats]
    assert len(set(names)) == len(names), f"two formats share a name: {names}"
    return formats


FORMATS: tuple[Format, ...] = _registered(
    cdf.FORMAT,
    azure.FORMAT,
    mooncake.FORMAT,
    normalized.FORMAT,
    jsonl.FORMAT,
)


def named(name: str) -> Format:
    """Return the format called `name`; raises UnknownNameError listing the known ones."""
    for one in FORMATS:
        if one.name == name:
            return one
    raise UnknownNameError("format", name, (one.name for one in FORMATS), where="--format")


def sniffed(path: Path) -> Format:
    """Return the format whose `sniff` knows the first bytes of `path`; raises InputError if none does."""
    start = head(path)
    for one in FORMATS:
        if one.sniff(start):
            return one
    raise InputError(
        "the columns or keys are of no known format",
        where=f"{path}: line 1",
        value=start.strip().split(b"\n", 1)[0].decode(errors="replace").strip(),
        accepted="; ".join(one.about for one in FORMATS),
        remedy="rename the columns, or force a format with --format",
    )
