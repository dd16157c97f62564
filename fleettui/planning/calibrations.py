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
    called = _checked(name if name is not None else _named_after(paths[0]))
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
    _keep(found)
    return found


def _named_after(path: str) -> str:
    """Return a name that a file's own suggests.

    >>> _named_after("runs/My bench (2).json")
    'my-bench-2'
    """
    return re.sub(r"[^a-z0-9._]+", "-", Path(path).stem.lower()).strip("-._")[:64] or "fit"


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        accepted = "up to 64 small letters, digits, dots, lines and underscores, a letter or digit first"
        raise InputError("a fit cannot be called so", where="--name", value=name, accepted=accepted)
    return name


def _keep(found: Calibration) -> None:
    path, text = path_of_fit(found.name), dumps(found)
    if found.name in names():
        if dumps(kept(found.name)) == text:
            return
        raise InputError(
            "a fit of other runs has this name",
            where="--name",
            value=found.name,
            remedy=f"give another, or remove {path}",
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder cannot be made: {error.strerror}", where=str(path.parent)) from None
    write_whole(path, text, "--name", new=True)
