"""Length distributions: `length-distribution/1`, a bare list of [tokens, cumulative fraction], or several by name."""

from __future__ import annotations

import json
from pathlib import Path

from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.workloads.formats.base import DistributionFormat
from fleettui.workloads.formats.line_blocks import opened
from fleettui.workloads.library import parse

_MARKS = (b'"length-distribution/', b'"atoms"', b'"cdf"', b'"cdfs"', b'"prompt_cdf"')


def sniff(head: bytes) -> bool:
    """Tell whether `head` starts a JSON list, or an object that is more than one line's request."""
    start = head.lstrip()
    if start[:1] == b"[":
        return True
    return start[:1] == b"{" and any(mark in start for mark in _MARKS) and not _is_request(start)


def read(path: Path, output_share: float | None, part: str | None) -> Workload:
    """Return the distribution in `path`; raises InputError with file and line (or field) where it is not one."""
    with opened(path) as file:
        data = file.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is not text", where=str(path), value=data[:16], accepted="JSON in UTF-8") from None
    return parse(text, str(path), output_share, part)


def _is_request(start: bytes) -> bool:
    try:
        return not any(mark in start.split(b"\n", 1)[0] for mark in _MARKS) and isinstance(
            json.loads(start.split(b"\n", 1)[0]), dict
        )
    except (ValueError, RecursionError):
        return False


FORMAT = DistributionFormat(
    name="cdf",
    help="length-distribution/1, or a bare list of [tokens, cumulative fraction]",
    known_by="a list of lengths",
    syntax="JSON",
    sniff=sniff,
    read=read,
    sample="[[100, 0.5], [200, 1]]",
)
