"""Class before class, and what waits and is interactive takes the place of what runs and is of class batch."""

from __future__ import annotations

from fleettui.scheduling.scheduler import Scheduler, Turns
from fleettui.scheduling.view import Turn, Waiting


def rank(request: Waiting, turn: Turn, /) -> float:  # noqa: ARG001
    """Return the same for every request: within a class they are served as they come."""
    return 0.0


SCHEDULER = Scheduler(
    name="priority",
    help="batch yields",
    reserves=False,
    turns=Turns(rank=rank, preempts=True),
    differs="class batch waits longer",
)
