"""Where the user was, kept from one start of the app to the next, in the folder for such state."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fleettui.tui.tabs import VIEWS
from fleettui.user_paths import path_of

FILE = "state.json"
VARIABLE = "FLEETTUI_STATE"


class Session(NamedTuple):
    """The plan and the view that were shown, what was marked, filtered and sorted, and the theme.

    `candidates` is how the candidates were listed, as `fleettui.tui.tabs.listing.Listing.text` writes it, `plotted`
    whether their plot stood in their place.
    """

    plan: str = ""
    view: str = "fleet"
    marks: tuple[str, ...] = ()
    words: str = ""
    sort: str = ""
    theme: str = ""
    candidates: str = ""
    plotted: bool = False


def state_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of the state: FLEETTUI_STATE, or the user's own for fleettui."""
    if named := environment.get(VARIABLE):
        return path_of(named, VARIABLE)
    import platformdirs

    return platformdirs.user_state_path("fleettui")


def load(path: Path) -> Session:
    """Return the session that is kept in a file; what is missing or makes no sense there is as in a fresh one."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return Session()
    if not isinstance(found, dict):
        return Session()
    kept = {name: _sound(name, found.get(name), default) for name, default in Session()._asdict().items()}
    return Session(**kept)


def save(path: Path, session: Session) -> bool:
    """Keep the session; return whether it was kept."""
    return not write_private(path, json.dumps(session._asdict(), indent=1) + "\n")


def write_private(path: Path, text: str) -> str:
    """Write a file that only its user may read, whole or not at all; return why it was not written, else empty."""
    temporary = ""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        Path(temporary).replace(path)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        return error.strerror or str(error)
    return ""


def _sound(name: str, value: object, default: Any) -> Any:
    """Return a value of the file where it has the field's type, else the field's default."""
    if isinstance(default, tuple):
        return tuple(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else default
    if type(value) is not type(default) or (name == "view" and value not in [view.name for view in VIEWS]):
        return default
    return value
