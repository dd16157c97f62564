"""The program's entry: `fleettui`, or `python -m fleettui`. Alone it opens the app; with a command it answers."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fleettui.domain.opening import Opening
    from fleettui.planning.settings import Setting


def main() -> int:
    """Run the command line on the process's arguments, or without any the app, and return the exit code."""
    from fleettui import garbage

    garbage.end_quickly()
    if not sys.argv[1:] and (code := _app()) is not None:
        return code
    garbage.look_seldom()
    from fleettui.cli import main as run

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a sign shows ? for it, and goes on
    return run(sys.argv[1:], launch)


def _app() -> int | None:
    """Open the app past the command line, which takes a tenth of a second to load.

    Returns None where the app cannot be shown or the settings do not read: the command line then says so.
    """
    from fleettui import garbage

    garbage.rest()
    from fleettui.domain.opening import Opening
    from fleettui.errors import InputError
    from fleettui.planning.settings import of_the_program

    try:
        code = launch(Opening(), of_the_program())
    except InputError:
        return None
    except Exception as error:  # noqa: BLE001 - the program ends here; the report keeps the evidence
        from fleettui.cli.error_messages import report_bug

        return report_bug(error, [])
    finally:
        garbage.go_on()
    return code if isinstance(code, int) else None


def launch(where: Opening, chosen: tuple[Setting, ...]) -> int | str:
    """Open the app and return its exit code, or why it cannot be shown. Nothing of it is loaded before."""
    from fleettui import garbage
    from fleettui.tui.terminal import can_show

    if reason := can_show(sys.stdin, sys.stdout, os.environ, stderr=sys.stderr):
        return reason
    garbage.rest()
    try:
        from fleettui.tui.launch import launch as show

        return show(where, chosen)
    finally:
        garbage.go_on()


if __name__ == "__main__":
    sys.exit(main())
