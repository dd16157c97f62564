"""The whole nodes that a joint plan pays for: a table of its study, and what is read from it again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from fleettui.domain.joint import JointPlan, Kind
from fleettui.domain.study import Study, StudyTable, table_of

TITLE = "Whole nodes"
"""The title of the table."""
IN_WHOLE_NODES = "whole nodes"
"""The last words of what is asked of a joint plan that pays for them."""
HELD = {"gpu", "paid", "in_use", "cost"}
"""Columns by which it is known again."""


def nodes_tables(plan: JointPlan) -> Iterator[StudyTable]:
    """Yield a row per GPU type of what is paid for and what of it is in use, where whole nodes are paid for."""
    if not plan.question.limits.whole_nodes or plan.joint.chosen is None:
        return
    used = Counter[str]()
    for one in plan.planned:
        if one.plan is not None and one.plan.answer is not None:
            used.update(one.plan.answer.fleet.gpus_by_type)
    yield table_of(
        TITLE,
        [(kind, paid) for kind, paid in zip(plan.kinds, plan.joint.paid, strict=True) if paid],
        ("gpu", "text", lambda row: row[0].name.upper()),
        ("paid", "count", lambda row: row[1]),
        ("in_use", "count", lambda row: used[row[0].name]),
        ("idle", "count", lambda row: row[1] - used[row[0].name]),
        ("cost", "dollars per hour", lambda row: row[1] * row[0].price),
        note="GPUs of the nodes that the workloads share: all are paid for, and the idle ones cost nothing more to use",
    )


def paid_gpus(study: Study) -> dict[str, int]:
    """Return the GPUs by type that a joint plan pays for in whole nodes, none where it does not."""
    return {str(row["gpu"]).lower(): int(row["paid"] or 0) for row in _rows(study)}


def paid_cost(study: Study) -> float:
    """Return what these cost in US dollars an hour."""
    return sum(float(row["cost"] or 0.0) for row in _rows(study))


def is_in_nodes(study: Study) -> bool:
    """Return whether whole nodes are paid for in a joint plan."""
    return study.question.endswith(IN_WHOLE_NODES)


def is_told(study: Study) -> bool:
    """Return whether a joint plan says what it pays for: one in whole nodes that was kept without them does not."""
    return bool(paid_gpus(study)) or not is_in_nodes(study)


def in_nodes(counts: Mapping[str, int], kinds: Sequence[Kind]) -> dict[str, int]:
    """Return the GPUs by type of the whole nodes that hold these."""
    sizes = {kind.name: kind.per_node for kind in kinds}
    return {gpu: math.ceil(count / sizes[gpu]) * sizes[gpu] for gpu, count in counts.items()}


def _rows(study: Study) -> Iterator[dict[str, str | int | float | None]]:
    for table in study.tables:
        if {column.name for column in table.columns} >= HELD:
            yield from table.records()
