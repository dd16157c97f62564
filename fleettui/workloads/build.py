"""A workload from one or several files: traces are merged on one clock, summed up and compressed."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from fleettui.domain import checks
from fleettui.domain.workload import Origin, Timing, Workload
from fleettui.errors import InputError
from fleettui.workloads import formats, library
from fleettui.workloads.context_limit import drop_longer
from fleettui.workloads.formats.base import DistributionFormat, Format, TraceFormat
from fleettui.workloads.trace_pass import Reading


def build_workload(
    sources: Sequence[str],
    *,
    name: str,
    origin: Origin | None = None,
    slices: float | None = None,
    format: str | None = None,
    output_share: float | None = None,
    drop_above: int | None = None,
    timing: Timing | None = None,
    times: bool = False,
) -> Workload:
    """Return the workload that the files in `sources` make together.

    Traces are merged by their times, which must be on one clock, and cut into stretches of `slices` seconds where
    that is given; a distribution must come alone (`FILE#NAME` picks one of several in a file). `origin` None keeps
    a distribution's own. `format` names a format instead of sniffing it, `drop_above` leaves out (and counts)
    requests of more total tokens, `timing` says how times came about where a file cannot, and `times` keeps a trace's.
    Raises InputError for what cannot be read or merged.
    """
    if not sources:
        raise InputError("no source is given", accepted="one file or more")
    if slices is not None:
        checks.positive("slices", slices)
    found = [_located(source, format) for source in sources]
    if any(isinstance(one, DistributionFormat) for _, _, one in found):
        if slices is not None:
            raise InputError(
                "a length distribution has no times to slice",
                where=str(found[0][0]),
                accepted="traces with times",
                remedy="leave out --slices",
            )
        workload = _distribution(found, output_share)
        workload = dataclasses.replace(workload, name=name, origin=workload.origin if origin is None else origin)
        return workload if drop_above is None else drop_longer(workload, drop_above)
    if output_share is not None:
        raise library.share_misplaced("a trace's joint")
    traces = [(path, one) for path, _, one in found if isinstance(one, TraceFormat)]
    assert len(traces) == len(found), "every format is a trace or a distribution"
    reading = Reading(traces, slices=slices, drop_above=drop_above, timing=timing, times=times)
    return reading.workload(name, origin or Origin(source=", ".join(path.name for path, _ in traces)))


def _located(source: str, format: str | None) -> tuple[Path, str | None, Format]:
    path, part = Path(source), None
    if "#" in source and not path.exists():
        file, _, part = source.rpartition("#")
        path = Path(file)
    return path, part, formats.sniffed(path) if format is None else formats.FORMATS.named(format, "--format")


def _distribution(found: Sequence[tuple[Path, str | None, Format]], output_share: float | None) -> Workload:
    if len(found) > 1:
        raise InputError(
            "a length distribution cannot be merged with another source",
            where=", ".join(str(path) for path, _, _ in found),
            accepted="several traces, or one distribution",
        )
    path, part, one = found[0]
    assert isinstance(one, DistributionFormat), "the caller found a distribution"
    return one.read(path, output_share, part)
