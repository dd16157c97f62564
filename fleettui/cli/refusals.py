"""From an exception to what a person reads and the exit code: one to three lines, never a traceback."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

import typer

from fleettui.cli.console import narrate
from fleettui.errors import FleettuiError

ALIKE = 0.7
BUG, USAGE, INTERRUPTED = 1, 2, 130
UsageError: type[Exception] = typer.BadParameter.__mro__[2]
"""The base of what Typer raises for wrong options, commands and arguments."""


def refuse(error: FleettuiError) -> int:
    """Tell a designed error and return its exit code."""
    narrate(f"fleettui: {error}")
    return error.exit_code


def refuse_usage(error: Exception, command: str) -> int:
    """Tell what is wrong with the command line itself, with the nearest option, and return 2.

    `command` is what to ask for help where the error does not know its place.
    """
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", command)
    lines = [f"fleettui: {_sentence(error)}"]
    if near := _nearest(error, context):
        lines.append(f"  did you mean {near}?")
    narrate("\n".join([*lines, f"  do: {command} --help shows what is accepted"]))
    return USAGE


def _nearest(error: Exception, context: typer.Context | None) -> str | None:
    """Return the known option that is closest to the unknown one that was typed."""
    if context is None or not hasattr(error, "possibilities"):
        return None
    known = [name for parameter in context.command.params for name in getattr(parameter, "opts", ())]
    return next(iter(difflib.get_close_matches(str(getattr(error, "option_name", "")), known, n=1, cutoff=ALIKE)), None)


def _sentence(error: Exception) -> str:
    """Return the usage error's own sentence on one line, without the library's guesses."""
    describe = getattr(error, "format_message", None)
    guessed = hasattr(error, "possibilities")
    text = " ".join(str(getattr(error, "message", error) if guessed or describe is None else describe()).split())
    return text[:1].lower() + text[1:].rstrip(".")


def report_bug(error: Exception, arguments: Sequence[str]) -> int:
    """Write the evidence of a bug to a file, tell where it is, and return 1."""
    place = _write_report(error, arguments)
    narrate(f"fleettui: this is a bug: {type(error).__name__}: {' '.join(str(error).split())[:200]}")
    narrate(f"  the report, with your command in it: {place}" if place else "  no report could be written")
    return BUG


def _write_report(error: Exception, arguments: Sequence[str]) -> Path | None:
    """Return the file that holds traceback, command and versions, or None when it cannot be written."""
    import platform
    import traceback
    from datetime import UTC, datetime

    import platformdirs

    from fleettui.cli.version import program_version

    now = datetime.now(UTC)
    lines = [
        f"fleettui {program_version()}, Python {platform.python_version()}, {platform.platform()}",
        f"{now.isoformat()}  fleettui {' '.join(arguments)}",
        "",
        *(line.rstrip("\n") for line in traceback.format_exception(error)),
        str(getattr(error, "details", "")),
    ]
    try:
        folder = platformdirs.user_log_path("fleettui", ensure_exists=True)
        file = folder / f"bug-{now:%Y%m%dT%H%M%S%f}.txt"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError:
        return None
    return file
