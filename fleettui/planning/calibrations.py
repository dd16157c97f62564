"""Fits of a law of steps to a server's own runs: made in a worker, kept by name in the user's folder for settings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from fleettui.domain.calibration import Calibration
from fleettui.domain.hardware import StepLaw
from fleettui.domain.serialization import dumps
from fleettui.domain.validation import Setup
from fleettui.errors import InputError
from fleettui.hardware.kept_fits import NAME, kept, names, path_of_fit
from fleettui.planning.user_files import write_whole
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report

NAMED_BY = "--name"
"""The option that names a fit."""


async def fit(
    paths: Sequence[str],
    *,
    name: str | None = None,
    setup: Setup | None = None,
    step_law: StepLaw = "kernels",
    report: Report | None = None,
    pool: WorkerPool | None = None,
) -> Calibration:
    """Return the fit of a law to the runs in files, kept under `name`, else under the first file's; raises InputError.

    A kept fit does not change: the same again is that one, and another needs another name.
    """
    called = check_fit(name, paths)
    async with borrowed(pool) as workers:
        found = await workers.run(
            "calibration-fit",
            Calibration,
            report,
            name=called,
            paths=tuple(paths),
            setup=setup or Setup(),
            step_law=step_law,
        )
    keep(found, NAMED_BY)
    return found


def check_fit(name: str | None, paths: Sequence[str]) -> str:
    """Return what the fit to the runs in files is called; raises InputError where a fit of other files is."""
    called = check_name(_named_after(paths[0]) if name is None else name, NAMED_BY)
    if called in names() and not {one.path for one in kept(called).sources}.intersection(paths):
        raise _taken(called, NAMED_BY)
    return called


def _named_after(path: str) -> str:
    """Return a name that a file's own suggests.

    >>> _named_after("runs/My bench (2).json")
    'my-bench-2'
    """
    return re.sub(r"[^a-z0-9._]+", "-", Path(path).stem.lower()).strip("-._")[:64] or "fit"


def check_name(name: str, option: str, made_by: str | None = None) -> str:
    """Return the name of a fit, given by `option`; raises InputError where it is none.

    That of a kept fit is refused where what the new one is `made_by` is said, and is not what that was.
    """
    if not NAME.fullmatch(name):
        accepted = "up to 64 small letters, digits, dots, lines and underscores, a letter or digit first"
        raise InputError("a fit cannot be called so", where=option, value=name, accepted=accepted)
    if made_by is not None and name in names() and kept(name).sources[-1].path != made_by:
        raise _taken(name, option)
    return name


def keep(found: Calibration, option: str) -> None:
    """Keep a fit by its name, given by `option`; the same again is no other. Raises InputError for another's name."""
    path, text = path_of_fit(found.name), dumps(found)
    if found.name in names():
        if dumps(kept(found.name)) == text:
            return
        raise _taken(found.name, option)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder cannot be made: {error.strerror}", where=str(path.parent)) from None
    write_whole(path, text, option, new=True)


def _taken(name: str, option: str) -> InputError:
    remedy = f"give another, or remove {path_of_fit(name)}"
    return InputError("a fit of other runs has this name", where=option, value=name, remedy=remedy)
