"""What `last` counts back from the newest: plans, and joint plans, which stand for those of their workloads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlalchemy import Connection, Select, Table, func, literal, select, union_all

from fleettui.domain.study import JOINT, plans_of
from store import studies
from store.tables import PLAN, STUDY

Kept = tuple[str, str]
"""Which of "plan" and "study" it is, and its id."""


def newest(connection: Connection) -> Iterator[Kept]:
    """Yield the plans that are not archived and the joint plans of which one is not, the newest first.

    None is of a store beside. A joint plan is kept after the plans of its workloads, which do not count again.
    """
    joint = _of(STUDY).where(STUDY.c.kind == JOINT)
    listed = union_all(_of(PLAN).where(PLAN.c.archived == 0), joint)
    counted = set[str]()
    for row in connection.execute(listed.order_by(listed.selected_columns.id.desc())):
        noun, identifier, handle = map(str, row)
        if noun == PLAN.name and handle not in counted:
            yield noun, identifier
        elif noun == STUDY.name:
            members = set(plans_of(studies.read(connection, identifier)).values())
            counted |= members
            if not members or _is_any_shown(connection, members):
                yield noun, identifier


def _of(table: Table) -> Select[tuple[str, str, str]]:
    return select(literal(table.name), table.c.id, table.c.handle).where(table.c.handle.not_like("@%"))


def _is_any_shown(connection: Connection, handles: Iterable[str]) -> bool:
    """Return whether a plan with one of these handles is not archived."""
    shown = select(func.count()).where(PLAN.c.handle.in_(handles), PLAN.c.archived == 0)
    return bool(connection.scalar(shown))
