"""Files that the user asked for: written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from fleettui.errors import InputError


def check_free(path: Path, *, force: bool) -> None:
    """Raise InputError when `path` cannot take a new file, or holds one and `force` is not given."""
    if path.is_dir():
        raise InputError("this is a folder", where="--output", value=str(path), accepted="the name of a file")
    if not path.parent.is_dir():
        raise InputError("the folder does not exist", where="--output", value=str(path.parent), remedy="make it first")
    if path.exists() and not force:
        raise InputError("the file exists", where="--output", value=str(path), remedy="choose another, or add --force")


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path` through a file beside it, so that `path` never holds half; raises InputError."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        part = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            part.chmod(0o644)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"the file cannot be written: {error.strerror}", where="--output", value=str(path)) from None
