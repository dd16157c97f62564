"""Files of measured runs, read one after the other: one that is given twice counts once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fleettui.domain.validation import Setup
from fleettui.errors import InputError
from fleettui.hardware.measured import Reading, read_points
from fleettui.hardware.measured.base import Skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRuns:
    """What each file holds, by its path, and what is left out of several, with its path in the why."""

    readings: dict[str, Reading]
    skipped: tuple[Skipped, ...]


def read_files(paths: Sequence[str], setup: Setup, progress: Callable[[str], None]) -> MeasuredRuns:
    """Return the runs of files; `setup` says what they do not.

    A file that holds no run that can be used is left out where others do. Raises InputError where none does, and for
    one that is not there.
    """
    readings: dict[str, tuple[str, Reading]] = {}
    skipped: list[Skipped] = []
    for path in paths:
        progress(f"reading {path}")
        try:
            reading = read_points(Path(path), setup)
        except InputError as error:
            if len(paths) == 1 or not Path(path).is_file():
                raise
            skipped.append(Skipped(line=1, why=f"{path}: {error.said}"))
            continue
        if reading.digest in readings:
            first, _ = readings[reading.digest]
            skipped += [Skipped(line=one.line, why=f"{path}: the same file as {first}") for one in reading.points]
        else:
            readings[reading.digest] = path, reading
    if not readings:
        raise InputError(f"none of {len(paths)} files holds a run that can be used", value=skipped[0].why)
    return MeasuredRuns(readings=dict(readings.values()), skipped=tuple(skipped))
