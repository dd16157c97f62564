"""The program's entry: `fleettui`, or `python -m fleettui`."""

from __future__ import annotations

import io
import sys


def main() -> int:
    """Run the command line on the process's arguments and return its exit code."""
    from fleettui.cli import main as run

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a sign shows ? for it, and goes on
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
