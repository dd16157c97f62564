"""What a joint plan's other workloads leave of its limits for one of them, whose own page is to advise no more."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.fleet_words import gpus_in
from fleettui.domain.joint import SharedLimits, stock
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.study import JOINT, Study, fleets_of, plans_of
from fleettui.reports.beyond_stock import Taken, left_of, marked

if TYPE_CHECKING:
    from store import Store

ROUNDING = 1e-9
"""Share by which what is left may seem less than it is, as money and power are sums."""


def beside_others(store: Store, answer: Answer) -> Answer:
    """Return a kept plan's answer as its page tells it: of a joint plan's workload with what is beyond its limits."""
    found = _shared(store, answer.plan.handle)
    if found is None:
        return answer
    joint, limits = found
    left = left_of(limits, _others(joint, answer.plan.handle))
    return marked(answer, left) if left else answer


def asked_beside_others(store: Store, handle: str, question: Question) -> Question:
    """Return what a kept plan was asked: of a joint plan's workload held to what the others leave of its limits."""
    found = _shared(store, handle)
    if found is None:
        return question
    joint, limits = found
    left = left_of(limits, _others(joint, handle))
    return replace(
        question,
        max_gpus=tuple((gpu, round(left[stock(gpu)])) for gpu, _ in limits.max_gpus),
        max_total_gpus=None if limits.max_total_gpus is None else round(left["gpus"]),
        budget=None if limits.budget is None else left["cost"] * (1.0 + ROUNDING),
        max_power=None if limits.max_power is None else _power_left(store, joint, handle, limits.max_power),
    )


def _shared(store: Store, handle: str) -> tuple[Study, SharedLimits] | None:
    """Return the newest joint plan of the plan with this handle and its limits, None where none that passes has it."""
    joint = store.study_with(handle, JOINT)
    if joint is None or joint.joint is None or joint.verdict != "pass" or handle not in plans_of(joint).values():
        return None
    return joint, joint.joint.question.limits


def _power_left(store: Store, joint: Study, handle: str, most: float) -> float:
    """Return the watts that the fleets of a joint plan's other workloads leave."""
    fleets = (store.plan(other, most=1).answer for other in plans_of(joint).values() if other != handle)
    return (most - math.fsum(one.power for one in fleets if one is not None)) * (1.0 + ROUNDING)


def _others(joint: Study, handle: str) -> Iterator[Taken]:
    """Yield what the fleets of a joint plan's workloads take, but for the one whose plan has this handle."""
    for row in fleets_of(joint).values():
        if row["plan"] != handle:
            yield gpus_in(str(row["fleet"])), float(row["cost"] or 0.0)
