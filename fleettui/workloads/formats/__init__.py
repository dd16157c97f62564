"""Trace and distribution formats, each with `sniff` and `read`; known by content, never by file name.

A new one of a trace is a file, of its columns (a `Table` of CSV, `Objects` of JSON) and a `TraceFormat` with a sample
and what is read of it, to which the tests hold it; and its place in FORMATS. Times are in seconds unless another unit
is said, a `TimeUnit` of `cell_values` or of its own (`TimeUnit("microseconds", 1e-6)`): of JSON as its `unit`, of CSV
as its `times`, `numbers(...)` of it.
"""

from __future__ import annotations

import re
from pathlib import Path

from fleettui.domain.registry import Registry
from fleettui.errors import InputError
from fleettui.workloads.formats import azure, cdf, jsonl, mooncake, normalized
from fleettui.workloads.formats.base import Format
from fleettui.workloads.formats.csv_traces import written_in
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
    """Return the help of the formats in a file's syntax that read a column or key of its first line.

    A name of less than five letters, such as time, says nothing of a format.
    """
    line = start.strip().split(b"\n", 1)[0]
    objects = line[:1] in (b"{", b"[")
    keys = re.findall(r'"([^"]+)"\s*:', line.decode(errors="replace")) if objects else written_in(line)
    telling = {key for key in keys if len(key) >= 5}
    return [one.help for one in FORMATS if (one.syntax == "JSON") == objects and one.columns & telling]
