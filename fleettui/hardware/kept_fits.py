"""The fits that are kept by name in the user's folder, beside the configuration file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from fleettui.domain.calibration import Calibration
from fleettui.domain.serialization import decode
from fleettui.errors import InputError, UnknownNameError
from fleettui.hardware.file_bytes import read_bytes
from fleettui.user_paths import config_path

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
SUFFIX = ".json"
REMEDY = "make it: fleettui profile fit FILES --name prod"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFit:
    """A kept fit: its name, the day (UTC, ISO) on which it was kept, and None with a refusal where it does not read."""

    name: str
    day: str
    fit: Calibration | None
    refusal: str = ""


def folder() -> Path:
    """Return the folder that holds the fits."""
    return config_path().parent / "fits"


def path_of_fit(name: str) -> Path:
    """Return the file of the fit called `name`."""
    return folder() / f"{name}{SUFFIX}"


def names() -> tuple[str, ...]:
    """Return the names of the kept fits, sorted."""
    return tuple(sorted(file.stem for file in folder().glob(f"*{SUFFIX}") if NAME.fullmatch(file.stem)))


def kept(name: str, where: str | None = None) -> Calibration:
    """Return the fit called `name`, asked for at `where`.

    Raises UnknownNameError, or InputError where its file does not read.
    """
    known = names()
    if not known:
        raise InputError("no fit is kept", where=where, value=name, remedy=REMEDY)
    if name not in known:
        raise UnknownNameError("fit", name, known, where=where)
    path, remedy = path_of_fit(name), "remove it, and fit again"
    text = read_bytes(path, remedy=remedy)
    try:
        return decode(Calibration, text.decode())
    except UnicodeDecodeError:
        raise InputError("is no fit: no text", where=str(path), remedy=remedy) from None
    except ValidationError as error:
        raise InputError(f"is no fit: {error.errors()[0]['msg']}", where=str(path), remedy=remedy) from None


def every() -> tuple[KeptFit, ...]:
    """Return every kept fit, by name; a file that does not read is among them, with why not."""
    return tuple(map(_found, names()))


def _found(name: str) -> KeptFit:
    day = datetime.fromtimestamp(path_of_fit(name).stat().st_mtime, UTC).date().isoformat()
    try:
        return KeptFit(name=name, day=day, fit=kept(name))
    except InputError as error:
        return KeptFit(name=name, day=day, fit=None, refusal=error.what)
