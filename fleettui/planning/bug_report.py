"""The evidence of a bug in a file of its own: traceback, what was being done, versions; told by its path, not shown."""

from __future__ import annotations

import platform
import traceback
from datetime import UTC, datetime
from pathlib import Path


def program_version() -> str:
    """Return the version of the installed program."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("fleettui")
    except PackageNotFoundError:
        return "unknown"


def write_report(error: BaseException, doing: str) -> Path | None:
    """Return the file that holds the evidence, or None when it cannot be written; `doing` is a command or a key."""
    import platformdirs

    now = datetime.now(UTC)
    lines = [
        f"fleettui {program_version()}, Python {platform.python_version()}, {platform.platform()}",
        f"{now.isoformat()}  {doing}",
        "",
        *(line.rstrip("\n") for line in traceback.format_exception(error)),
        str(getattr(error, "details", "")),
    ]
    try:
        folder = platformdirs.user_log_path("fleettui", ensure_exists=True)
        file = folder / f"bug-{now:%Y%m%dT%H%M%S%f}.txt"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="backslashreplace")
    except OSError:
        return None
    return file
