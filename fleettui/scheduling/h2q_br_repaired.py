"""H2Q-BR with the spill rule repaired: a prompt that is cut makes its session long only if it is a long one.

As the paper has it a short session's first round of 4096 tokens is cut by a budget of 2048, and the session is long for
ever, although the paper says that such a round stays short.
"""

from __future__ import annotations

from fleettui.scheduling.h2q_br import FRESH, QUOTA, rank
from fleettui.scheduling.scheduler import Scheduler, Turns
from fleettui.scheduling.view import Turn


def cut(turn: Turn, /) -> None:
    """Let the session of a long round be long for good, and its prompt carry on once."""
    if turn.fresh > FRESH:
        turn.long = True
        turn.carries = True


SCHEDULER = Scheduler(
    name="h2q-br-repaired",
    help="mended",
    reserves=False,
    turns=Turns(rank=rank, cut=cut, quota=QUOTA),
    differs="long prompts wait longer",
)
