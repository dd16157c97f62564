"""Python's collector of garbage, which rests while the app starts: what is loaded then stays for good."""

from __future__ import annotations

import gc


def rest() -> None:
    """Let nothing be collected for now; looking again and again at all that is loaded takes a fifth of a start."""
    gc.disable()


def go_on() -> None:
    """Collect again where that rests, and never look again at what there is by now."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
