"""The request with the fewest prompt tokens to compute first; blocks as they fill."""

from __future__ import annotations

from typing import Any

from fleettui.scheduling.scheduler import Scheduler


def rank(request: Any, /) -> float:
    """Return the prompt tokens that are not cached."""
    return float(request.prompt - request.cached)


SCHEDULER = Scheduler(
    name="shortest",
    help="prompt first",
    reserves=False,
    rank=rank,
    caution=(
        "the formulas take requests as they come; under admission shortest long prompts wait longer than they say and "
        "short ones less: trust the simulation"
    ),
)
