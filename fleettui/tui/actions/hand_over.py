"""Handing over: copy what is shown, write it to a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.files import write_whole
from fleettui.tui.modals.prompt import Prompt

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


async def copy(app: FleetApp) -> None:
    """Copy what the view shows, in words."""
    text = app.view.copied()
    if not text:
        raise InputError("there is nothing here to copy")
    await app.copy_text(text)


async def write(app: FleetApp) -> None:
    """Write what the view shows to a file that is not there yet."""
    await write_text(app, app.view.copied())


async def write_text(app: FleetApp, text: str) -> None:
    """Ask for a path that is free, and write `text` there."""
    if not text:
        raise InputError("there is nothing here to write")
    path = await app.push_screen_wait(
        Prompt("write to", value=app.view.file_name(), help="a new file; none is written over", check=new)
    )
    if path is not None:
        place = new(path)
        write_whole(place, text.rstrip("\n") + "\n", "file", new=True)
        app.notify(f"written: {place}", markup=False)


def new(text: str) -> Path:
    """Return the path that is typed; raises InputError for none, for one that exists, and for one in no folder."""
    if not text.strip():
        raise InputError("a path is needed")
    try:
        path = Path(text.strip()).expanduser()
        if path.exists():
            raise InputError("there is a file already", value=str(path), remedy="choose another name")
        if not path.parent.is_dir():
            raise InputError("there is no such folder", value=str(path.parent))
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"this is no path: {getattr(error, 'strerror', None) or error}", value=text) from None
    return path


ACTIONS: Mapping[str, Callable[[FleetApp], object]] = {"copy": copy, "write": write}
