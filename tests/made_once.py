"""Files that are dear to make: made once in a run of the suite, whichever core needs them first."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the file of that name, which `make` writes where no other core has; nobody changes it afterwards."""
    base = factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "made"
    folder.mkdir(exist_ok=True)
    file, whole = folder / name, folder / f"{name}.whole"
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # released with the file
        if not whole.exists():
            file.unlink(missing_ok=True)
            make(file)
            whole.touch()
    return file
