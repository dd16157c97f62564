"""What a joint plan's other workloads leave of its limits for one of them, whose own page is to advise no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fleettui.domain.fleet_words import gpus_in
from fleettui.domain.plan import Answer
from fleettui.domain.study import JOINT, Study, fleets_of, plans_of
from fleettui.reports.beyond_stock import Taken, left_of, marked

if TYPE_CHECKING:
    from store import Store


def beside_others(store: Store, answer: Answer) -> Answer:
    """Return a kept plan's answer as its page tells it: of a joint plan's workload with what is beyond its limits."""
    handle = answer.plan.handle
    joint = store.study_with(handle, JOINT)
    if joint is None or joint.joint is None or joint.verdict != "pass" or handle not in plans_of(joint).values():
        return answer
    left = left_of(joint.joint.question.limits, _others(joint, handle))
    return marked(answer, left) if left else answer


def _others(joint: Study, handle: str) -> Iterator[Taken]:
    """Yield what the fleets of a joint plan's workloads take, but for the one whose plan has this handle."""
    for row in fleets_of(joint).values():
        if row["plan"] != handle:
            yield gpus_in(str(row["fleet"])), float(row["cost"] or 0.0)
