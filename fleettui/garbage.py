"""Python's collector of garbage, which looks seldom, and rests while the app starts: what is loaded stays for good."""

from __future__ import annotations

import gc

COLLECT = 100_000
"""Objects made beyond those that went until Python looks for cycles: a task's are few, and imports make many."""


def look_seldom() -> None:
    """Let it look when many objects were made, for a command or a worker that loads much and then ends."""
    gc.set_threshold(COLLECT)


def rest() -> None:
    """Let nothing be collected for now; looking again and again at all that is loaded takes a fifth of a start."""
    gc.disable()


def go_on() -> None:
    """Collect again where that rests, and never look again at what there is by now."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
