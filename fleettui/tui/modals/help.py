"""The help of a view: what it answers, and every key that means something in it."""

from __future__ import annotations

from fleettui.tui import keys, tabs
from fleettui.tui.tabs.view import View

MOVES = (
    ("j k", "move, as the arrows do; g G first and last, ctrl+d ctrl+u half a page"),
    ("enter", "open what is under the cursor"),
    ("tab", "the next pane"),
)
CLOSING = (
    "The mouse is never needed; hold shift while dragging to select text.\n"
    "PASS: the whole 95 % interval keeps every limit. NOT PROVEN: it reaches both sides; v adds runs.\n"
    "busy: share of the time a pool's engines work at their capacity. MFU: share of the GPUs' arithmetic peak.\n"
    "left: what remains of the tightest limit, from the interval's upper end.\n"
    "limited by: what keeps a pool from being smaller; one replica: it is the least there is.\n"
    "joint: which prompt came with which output is known. F(4,096): share of requests up to 4,096 tokens."
)


def help_text(view: View) -> str:
    """Return the help of `view`."""
    lines = [f"{view.entry.number}  {view.entry.question}", ""]
    rows = [*((key.shown, key.help) for key in keys.keys_of(view.entry.name)), *MOVES, (tabs.SPAN, "the views")]
    width = max(len(key) for key, _ in rows)
    return "\n".join([*lines, *(f"{key:<{width}}  {words}" for key, words in rows), "", CLOSING])
