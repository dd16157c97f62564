"""The request with the fewest output tokens by guess first; blocks as they fill."""

from __future__ import annotations

from fleettui.scheduling.scheduler import Scheduler, Turns
from fleettui.scheduling.view import Turn, Waiting


def rank(request: Waiting, turn: Turn, /) -> float:  # noqa: ARG001
    """Return the tokens that it is guessed to put out."""
    return float(turn.guess)


SCHEDULER = Scheduler(
    name="shortest-predicted",
    help="by guess",
    reserves=False,
    turns=Turns(rank=rank, guesses=True),
    differs="long answers wait longer",
)
