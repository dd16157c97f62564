"""A file that is not there yet: its name as it is typed, and writing it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fleettui.planning.user_files import check_free, write_whole
from fleettui.tui.prompt_values import needed
from fleettui.user_paths import path_of

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


def write_new(app: FleetApp, path: Path, text: str) -> None:
    """Write a file that is not there yet, and say so."""
    write_whole(path, text.rstrip("\n") + "\n", "file", new=True)
    app.notify(f"written: {path}", markup=False)


def new(text: str) -> Path:
    """Return the path that is typed; raises InputError for none, for one that exists, and for one in no folder."""
    path = path_of(needed(text))
    check_free(path, "file")
    return path
