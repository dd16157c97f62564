"""Everything that is drawn and kept, drawn anew: `python -m tests.redraw`, to be read as a diff.

These are the text frames of the app, those of a new view with them, the printed plans, README's table of keys, and the
pictures. `python -m tests.redraw frames` leaves the pictures out, which take most of the time.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.kept_text import VARIABLE

ROOT = Path(__file__).parents[1]
PICTURES = ("tests.screenshots.test_pictures", "tests.screenshots.test_app_pictures")

KEPT = "tests/tui/test_frames_golden.py::test_every_view_has_frames"
"""A test of what was drawn."""


def commands(*, frames_only: bool = False) -> list[list[str]]:
    """Return what draws them, in the order in which each needs what was drawn before."""
    texts = [*sorted(ROOT.glob("tests/tui/test_frames*.py")), ROOT / "tests/tui/test_keys.py"]
    tests = [path.relative_to(ROOT).as_posix() for path in [*texts, ROOT / "tests/reports/test_plan_text.py"]]
    frames = ["pytest", "-q", "-m", "evidence or not evidence", "--deselect", KEPT, *tests]
    return [frames] if frames_only else [frames, *([one] for one in PICTURES)]


def main() -> int:
    """Draw; return 0 when all of it could be drawn."""
    for command in commands(frames_only="frames" in sys.argv[1:]):
        if code := subprocess.call([sys.executable, "-m", *command], cwd=ROOT, env={**os.environ, VARIABLE: "1"}):
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
