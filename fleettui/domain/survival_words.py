"""What it costs to survive replicas that are down, beside the plan that survives none."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.fleet import counted
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question

SAME = 0.005
"""US dollars an hour by which costs are the same."""


def survival(question: Question, best: Candidate, plain: Candidate | None, known: str) -> str:
    """Return what a fleet survives, and what that takes beyond the fleet that a plan which survives none comes to.

    That one is `known` by formula or as simulated; where it was not looked for, which is None, no cost is told.
    """
    word = "sized" if best.simulation is None else "sized and proven"
    down = counted(question.survive, "replica")
    head = f"survive {question.survive}: what is left with any {down} of each pool down is {word} by itself"
    if plain is None:
        return head
    more, cost = best.gpus - plain.gpus, best.cost_per_hour - plain.cost_per_hour
    gpus = f"{counted(more)} and " if more > 0 else ""
    takes = f"takes {gpus}${cost:,.2f}/h more than" if cost > SAME else "costs as much as"
    return f"{head}; that {takes} none: {fleet_words(plain.fleet)}, ${plain.cost_per_hour:,.2f}/h {known}"


def with_survival(why: Sequence[str], told: str, question: Question, pools: int) -> tuple[str, ...]:
    """Return reasons, of which each of the `pools` has one before all others, with what is `told` after these."""
    others = [one for one in why if not one.startswith(f"survive {question.survive}: ")]
    return (*others[:pools], told, *others[pools:])
