"""The task `calibration-fit`: a law of steps fitted to the runs of files."""

from __future__ import annotations

from pathlib import Path

from fleettui.domain.calibration import Calibration, Source
from fleettui.domain.hardware import StepLaw
from fleettui.domain.validation import MeasuredPoint, Setup
from fleettui.hardware.calibration import fit_points
from fleettui.hardware.measured import counted, read_points
from fleettui.hardware.measured.base import Skipped
from fleettui.planning.task_context import Context


def fit(context: Context, *, name: str, paths: tuple[str, ...], setup: Setup, step_law: StepLaw) -> Calibration:
    """Return the fit called `name` of a law to the runs in the files at `paths`; `setup` says what they do not."""
    points: list[MeasuredPoint] = []
    skipped: list[Skipped] = []
    sources: list[Source] = []
    for path in paths:
        context.progress(f"reading {path}")
        reading = read_points(Path(path), setup)
        points += reading.points
        skipped += [Skipped(line=one.line, why=f"{path}: {one.why}") for one in reading.skipped]
        sources.append(Source(path=path, digest=reading.digest, format=reading.format, points=len(reading.points)))
    context.progress(f"fitting {len(points)} runs")
    servers, unfitted = fit_points(points, step_law)
    return Calibration(
        name=name,
        step_law=step_law,
        servers=servers,
        sources=tuple(sources),
        skipped=counted((*skipped, *unfitted)),
    )
