"""Studies: written once, whole, and read whole."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, func, insert, select

from fleettui.domain.study import Study
from store import convert, handles
from store.identity import timestamp
from store.tables import STUDY


def add(connection: Connection, study: Study, *, moment: datetime, randomness: int) -> Study:
    """Write a study, whose plan is named by its id, and return it as it will be read, with id, handle and time."""
    assert not study.id, f"a new study has no id yet: {study.id}"
    ((identifier, handle),) = handles.ids_and_handles(connection, 1, moment=moment, randomness=randomness)
    columns = convert.from_study(replace(study, id=identifier, handle=handle, created=timestamp(moment)))
    connection.execute(insert(STUDY).values(**columns))
    return convert.to_study(columns)


def read(connection: Connection, identifier: str) -> Study:
    """Return the study with this id."""
    row = connection.execute(select(STUDY).where(STUDY.c.id == identifier)).mappings().one()
    return convert.to_study(row)


def page(connection: Connection, plan: str | None, *, kind: str | None, limit: int, offset: int) -> list[Study]:
    """Return a page of the studies, newest first: of the plan with this id, of none ("") or all (None); of a `kind`."""
    chosen = _of(plan) if kind is None else [*_of(plan), STUDY.c.kind == kind]
    query = select(STUDY).where(*chosen).order_by(STUDY.c.id.desc()).limit(limit).offset(offset)
    return [convert.to_study(row) for row in connection.execute(query).mappings()]


def with_plan(connection: Connection, handle: str, kind: str) -> Study | None:
    """Return the newest study of a `kind` in one of whose cells is a plan's handle, None where there is none."""
    named = STUDY.c.body.contains(f'"{handle}"', autoescape=True)
    query = select(STUDY).where(STUDY.c.kind == kind, named).order_by(STUDY.c.id.desc()).limit(1)
    row = connection.execute(query).mappings().first()
    return None if row is None else convert.to_study(row)


def count(connection: Connection, plan: str | None) -> int:
    """Return how many studies `page` would list in all."""
    return connection.scalar(select(func.count()).select_from(STUDY).where(*_of(plan))) or 0


def _of(plan: str | None) -> list[ColumnElement[bool]]:
    return [] if plan is None else [STUDY.c.plan == plan] if plan else [STUDY.c.plan.is_(None)]
