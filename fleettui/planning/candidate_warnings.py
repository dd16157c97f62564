"""Which warnings of a plan are true of another fleet than the one that they were told of."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.advice import counts_from_answer
from fleettui.domain.plan import Answer


def of_another(plan: Answer, own: Sequence[str]) -> tuple[str, ...]:
    """Return the warnings of another candidate than a plan's answer: its `own`, and those of what was asked.

    Advice that counts its GPUs from the answer's is not among them.
    """
    return (*own, *(one for one in plan.warnings if of_inputs(one) and not counts_from_answer(one)))


def of_inputs(warning: str) -> bool:
    """Return whether a warning is about what was asked, not about the formula's fleet, which its own warnings are."""
    return not warning.startswith(("pool ", "gamma ", "router "))
