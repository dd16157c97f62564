"""The request with the fewest prompt tokens to compute first; blocks as they fill."""

from __future__ import annotations

from fleettui.scheduling.scheduler import Scheduler
from fleettui.scheduling.view import Waiting


def rank(request: Waiting, /) -> float:
    """Return the prompt tokens that are not cached."""
    return float(request.prompt - request.cached)


SCHEDULER = Scheduler(
    name="shortest",
    help="prompt first",
    reserves=False,
    rank=rank,
    differs="long prompts wait longer",
)
