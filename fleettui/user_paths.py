"""Paths that the user names, and the configuration file's, beside which lies what is kept for all plans."""

from __future__ import annotations

import os
from pathlib import Path

from fleettui.errors import InputError

CONFIG_VARIABLE = "FLEETTUI_CONFIG"


def path_of(text: str, where: str | None = None) -> Path:
    """Return the path that `text` names, a ~ being a home folder; raises InputError for one that no file can have."""
    try:
        path = Path(text).expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"this path cannot be used: {reason}", where=where, value=text) from None
    return path


def config_path() -> Path:
    """Return the configuration file: FLEETTUI_CONFIG, or config.toml in the user's folder for settings."""
    if named := os.environ.get(CONFIG_VARIABLE):
        return path_of(named, CONFIG_VARIABLE)
    import platformdirs

    return platformdirs.user_config_path("fleettui") / "config.toml"
