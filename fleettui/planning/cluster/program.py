"""Which program a process is: the same numbers come from the same code on the same libraries alone."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib import metadata
from pathlib import Path

import cdfs
import fleettui

LIBRARIES = ("numpy", "scipy", "numba")
"""Those whose releases may change the last digits of a result."""
SUFFIXES = frozenset({".py", ".toml", ".csv", ".json", ".gz"})


@cache
def program() -> dict[str, str]:
    """Return what must be alike where tasks of one answer run: the code and its tables, Python and the libraries."""
    digest = hashlib.sha256()
    for package in (fleettui, cdfs):
        root = Path(str(package.__file__)).parent
        for file in sorted(one for one in root.rglob("*") if one.suffix in SUFFIXES):
            digest.update(f"{file.relative_to(root).as_posix()} {file.stat().st_size} ".encode())
            digest.update(file.read_bytes())
    versions = {name: metadata.version(name) for name in LIBRARIES}
    return {"fleettui": digest.hexdigest()[:12], "python": ".".join(platform.python_version_tuple()[:2]), **versions}


def difference(theirs: dict[str, str], ours: dict[str, str]) -> str:
    """Return what of `theirs` is not as ours, in words; empty where all is.

    >>> difference({"numpy": "2.1", "python": "3.12"}, {"numpy": "2.2", "python": "3.12"})
    'numpy 2.1, here 2.2'
    """
    return "; ".join(f"{name} {theirs.get(name)}, here {ours[name]}" for name in ours if theirs.get(name) != ours[name])
