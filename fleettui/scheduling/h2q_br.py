"""H2Q-BR of the Frontier paper: two queues by what a session was served, bounded carry-over and release.

A session is long once it was served more than SERVED tokens, where a round has more than FRESH of them, or once a
prompt of it was cut by the budget (the paper's spill). Short rounds come by their fresh tokens, long ones as they came.
A long prompt that was cut carries on where no short one is older, and after QUOTA steps of short prompts alone the
oldest long one has its turn. The paper's code sorts what waits and what was cut apart, its text together, as here.
"""

from __future__ import annotations

from fleettui.scheduling.scheduler import LOWER, Scheduler, Turns
from fleettui.scheduling.view import Turn, Waiting

FRESH, SERVED, QUOTA = 4096, 8192, 32


def rank(request: Waiting, turn: Turn, /) -> float:  # noqa: ARG001
    """Return the fresh tokens of a short round; all long ones stand below as they came."""
    if turn.long or turn.served > SERVED or turn.fresh > FRESH:
        return LOWER
    return float(turn.fresh)


def cut(turn: Turn, /) -> None:
    """Let a session be long for good, and its prompt carry on once."""
    turn.long = True
    turn.carries = True


SCHEDULER = Scheduler(
    name="h2q-br",
    help="Frontier's",
    reserves=False,
    turns=Turns(rank=rank, cut=cut, quota=QUOTA),
    differs="long prompts wait longer",
)
