"""The question that is edited, in the two lines at the foot of the fleet's view and in the header."""

from __future__ import annotations

from pathlib import PurePath

from fleettui.errors import InputError
from fleettui.reports.question.conversion import summary
from fleettui.reports.question.keys import BY_NAME, LIMITS
from fleettui.reports.row_text import HEAD
from fleettui.tui.question_draft import Draft

DEMAND = ("rate", "users", "requests-per-user", "peak-factor", "tokens", "peak-hour", "concurrency", "think")
DRAWN = ("max-power", "max-feed", "power-cap")
QUESTION = (
    ("workload", "prompt", "output", *DEMAND, "batch-share", "model", "dtype"),
    ("gpu", "tp", "pp", *LIMITS, "max-utilization", "pools", "budget", "max-gpus", *DRAWN, "router", "admission"),
)
"""The keys of the question that the foot of the fleet's view shows, by line; what is not usual goes first."""
ALWAYS, SELDOM = ("gpu", "tp"), ("pp",)
"""Those that are shown even where nothing is said, and those that are not where they are usual."""


def question_lines(draft: Draft, width: int) -> str:
    """Return the question in two lines; what differs from the plan on screen bears a `*`."""
    lines = []
    for names in QUESTION:
        parts = []
        for name in sorted(names, key=lambda name: draft.value(name) == BY_NAME[name].default):
            text = PurePath(draft.value(name)).name if name == "workload" else draft.value(name)
            is_usual = name in SELDOM and text == BY_NAME[name].default
            if (text and not is_usual) or name in ALWAYS:
                parts.append(f"{name} {text or 'any'}{mark(draft, name)}")
        while len("  ".join(parts)) > width - len(HEAD):
            parts.pop()
        lines.append("  ".join(parts))
    return HEAD + ("\n" + " " * len(HEAD)).join(lines)


def mark(draft: Draft, name: str) -> str:
    """Return `*` for a key that differs from the plan the draft began with."""
    return "*" if draft.base and name in draft.changed else ""


def in_one_line(draft: Draft) -> str:
    """Return the question in the header's words, or what there is of one that still lacks something."""
    try:
        return summary(draft.question())
    except InputError:
        return _unfinished(draft)


def _unfinished(draft: Draft) -> str:
    """Return a question that still lacks something, for the header."""
    if not draft.texts:
        return "no question yet"
    lengths = PurePath(draft.value("workload")).name or "lengths by percentile"
    limits = [name for name in LIMITS if draft.value(name)]
    return f"{lengths}  {draft.value('model')} {draft.value('dtype')}  {'' if limits else 'no SLO yet'}".rstrip()
