"""The program's entry: `fleettui`, or `python -m fleettui`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line on the process's arguments and return its exit code."""
    from fleettui.cli import main as run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
