"""Names for new acts: their ids rise through all nouns, and those that people type share one space of handles."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, func, select

from store import paging
from store.identity import new_handles, new_ids
from store.tables import CANDIDATE, JOB, PLAN, STUDY, VERIFICATION

WITH_ID = (PLAN, CANDIDATE, JOB, VERIFICATION, STUDY)
WITH_HANDLE = (PLAN, CANDIDATE, JOB, STUDY)


def ids(connection: Connection, count: int, *, moment: datetime, randomness: int) -> list[str]:
    """Return `count` ids, later than each one stored. Call it under the write lock, which keeps them so."""
    latest = max(connection.scalar(select(func.max(table.c.id))) or "" for table in WITH_ID)
    return new_ids(count, moment=moment, randomness=randomness, after=latest)


def ids_and_handles(connection: Connection, count: int, *, moment: datetime, randomness: int) -> list[tuple[str, str]]:
    """Return `count` ids as `ids` does, each with a handle that is free as long as the write lock is held."""
    identifiers = ids(connection, count, moment=moment, randomness=randomness)
    return list(zip(identifiers, new_handles(identifiers, lambda wanted: taken(connection, wanted)), strict=True))


def taken(connection: Connection, handles: Collection[str]) -> set[str]:
    """Return those of `handles` that an act bears; call it under the write lock, which keeps it true."""
    found, wanted = set[str](), func.json_each(json.dumps(sorted(handles))).table_valued("value")
    for table in WITH_HANDLE:
        if len(handles) > (connection.scalar(select(func.max(paging.ROW_ID)).select_from(table)) or 0):
            found |= set(connection.scalars(select(table.c.handle))) & set(handles)
        else:
            query = select(table.c.handle).join(wanted, table.c.handle == wanted.c.value)
            found |= set(connection.scalars(query))
    return found
