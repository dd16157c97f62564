"""Skip-join MLFQ of two queues, as Frontier compares with: long sessions go below, but their short rounds do not.

A round of more than LONG fresh tokens puts its session into the lower queue for good; one of at most SHORT rides in the
upper queue all the same, until its prompt is complete, and before the others there.
"""

from __future__ import annotations

from fleettui.scheduling.scheduler import LOWER, Scheduler, Turns
from fleettui.scheduling.view import Turn, Waiting

LONG, SHORT = 2048, 512


def comes(turn: Turn, /) -> None:
    """Let a session be long from its first long round on."""
    turn.long = turn.long or turn.fresh > LONG


def rank(request: Waiting, turn: Turn, /) -> float:  # noqa: ARG001
    """Return the queue, and in it whether the round is short."""
    if turn.fresh <= SHORT:
        return 0.0
    return LOWER if turn.long else 1.0


SCHEDULER = Scheduler(
    name="mlfq",
    help="skip-join",
    reserves=False,
    turns=Turns(rank=rank, comes=comes),
    differs="long prompts wait longer",
)
