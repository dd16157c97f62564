"""Python's collector of garbage, which looks seldom, and neither while the app starts nor at a process's end."""

from __future__ import annotations

import atexit
import gc

COLLECT = 500_000
"""Objects made beyond those that went until Python looks for cycles: a task's are few, and imports make 200,000.

One look at all of these takes a twentieth of a short command, and again of its worker.
"""


def look_seldom() -> None:
    """Let it look when many objects were made, for a command or a worker that loads much and then ends."""
    gc.set_threshold(COLLECT)


def end_quickly() -> None:
    """Let it not look once more, as the process ends, at all that goes with it: that is a sixth of a command's time."""
    atexit.register(gc.freeze)


def rest() -> None:
    """Let nothing be collected for now; looking again and again at all that is loaded takes a fifth of a start."""
    gc.disable()


def go_on() -> None:
    """Collect again where that rests, and never look again at what there is by now."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
