"""Rows inserted as SQLite takes them: SQLAlchemy would look at each value of each row before, while others wait."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Table, insert
from sqlalchemy.dialects import sqlite

BATCH = 5_000
"""Rows that go to SQLite at a time."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage in the block: of many rows that are made none is, and each look for it takes longer."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class Insertion:
    """Inserts rows with all columns of a table."""

    def __init__(self, table: Table) -> None:
        self._sql = str(insert(table).compile(dialect=sqlite.dialect()))
        self._values = itemgetter(*table.columns.keys())

    def __call__(self, connection: Connection, rows: Iterable[Mapping[str, Any]]) -> None:
        """Insert the rows, which may be made as they are asked for."""
        values = map(self._values, rows)
        while batch := list(islice(values, BATCH)):
            connection.exec_driver_sql(self._sql, batch)
