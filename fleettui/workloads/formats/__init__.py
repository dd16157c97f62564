"""Trace and distribution formats, each with `sniff` and `read`; known by content, never by file name."""

from __future__ import annotations

import re
from pathlib import Path

from fleettui.domain.registry import Registry
from fleettui.errors import InputError
from fleettui.workloads.formats import azure, cdf, jsonl, mooncake, normalized
from fleettui.workloads.formats.base import Format
from fleettui.workloads.formats.line_blocks import head

FORMATS: Registry[Format] = Registry(
    "format",
    cdf.FORMAT,
    azure.FORMAT,
    mooncake.FORMAT,
    normalized.FORMAT,
    jsonl.FORMAT,
)

_METRICS = re.compile(rb"^(?:# (?:HELP|TYPE) \w|vllm:\w+(?:\{| \d))", re.MULTILINE)
"""What tells Prometheus' text format, in which servers say what they count."""


def sniffed(path: Path) -> Format:
    """Return the format whose `sniff` knows the first bytes of `path`; raises InputError if none does."""
    start = head(path)
    for one in FORMATS:
        if one.sniff(start):
            return one
    if _METRICS.search(start):
        raise InputError(
            "this is what a server counts, its /metrics, and no trace",
            where=str(path),
            accepted="two of them, some minutes apart, make a workload",
            remedy="fleettui workload from-metrics BEFORE AFTER (in the app :workload from-metrics)",
        )
    raise InputError(
        "is of no known format",
        where=f"{path}: line 1",
        value=start.strip().split(b"\n", 1)[0].decode(errors="replace").strip(),
        accepted="; ".join(_like(start)) or ", ".join(one.known_by for one in FORMATS),
        remedy="rename the columns, or force a format with --format",
    )


def _like(start: bytes) -> list[str]:
    """Return the help of the formats in a file's syntax that know a column or key of its first line."""
    line = start.strip().split(b"\n", 1)[0].decode(errors="replace")
    seen, syntax = set(re.findall(r"\w{5,}", line)), "JSON" if line[:1] in ("{", "[") else "CSV"
    return [one.help for one in FORMATS if one.syntax == syntax and seen & set(re.findall(r"\w+", one.help))]
