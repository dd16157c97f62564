"""A second store, which is only read, beside one's own: every query finds the rows of both.

On the connections that read, each table is hidden behind a temporary view of its rows and the other store's; what is
here under the same key stays the one that is seen. The other's plans and studies have handles that begin with MARK.
Connections that write know one's own rows alone, so what refers to a plan of the other store takes it in first.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import Engine, Table, create_engine
from sqlalchemy.pool import QueuePool

from fleettui.errors import StoreVersionError
from store import opening
from store.engine import connect
from store.tables import (
    CANDIDATE,
    CANDIDATE_BLOCK,
    CANDIDATE_ORDER,
    EXCLUDED,
    HISTOGRAM,
    PART,
    PLAN,
    PROFILE,
    PROVENANCE,
    REPLICATION,
    SCENARIO,
    STUDY,
    VERIFICATION,
    WORKLOAD,
)

MARK = "@"
"""What the handles of another store's plans and studies begin with."""
_OWN_PLAN = "(SELECT plan FROM other.candidate WHERE candidate.id = {table}.candidate)"
_PARTS: Mapping[Table, tuple[str, Table]] = {
    WORKLOAD: ("digest", WORKLOAD),
    PROFILE: ("digest", PROFILE),
    SCENARIO: ("digest", SCENARIO),
    PROVENANCE: ("digest", PROVENANCE),
    PLAN: ("id", PLAN),
    STUDY: ("id", STUDY),
    PART: ("plan", PLAN),
    CANDIDATE: ("plan", PLAN),
    CANDIDATE_BLOCK: ("plan", PLAN),
    CANDIDATE_ORDER: ("plan", PLAN),
    EXCLUDED: ("plan", PLAN),
    VERIFICATION: (_OWN_PLAN, PLAN),
    REPLICATION: (_OWN_PLAN, PLAN),
    HISTOGRAM: (_OWN_PLAN, PLAN),
}
"""By table: the value that tells whether a row is of something that is here, and the table that holds that."""


def build(path: Path, other: Path) -> Engine:
    """Return an engine whose connections read both stores; raises StoreError where the `other` cannot be read."""
    found = opening.open_file(other, read_only=True)
    found.engine.dispose()
    if found.newer:
        raise StoreVersionError(found.notice)

    def creator() -> sqlite3.Connection:
        connection = connect(path, read_only=False)
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("ATTACH ? AS other", (f"{found.path.absolute().as_uri()}?mode=ro",))
        for table, (value, owners) in _PARTS.items():
            connection.execute(_view(table, value, owners))
        return connection

    return create_engine("sqlite://", creator=creator, poolclass=QueuePool, isolation_level="AUTOCOMMIT")


def _view(table: Table, value: str, owners: Table) -> str:
    # A list of plans finds their rows by SQLite's own number, too; the other store's are negative here.
    key = "digest" if value == "digest" else "id"
    names = [one.name for one in table.columns]
    marked = {"handle": f"'{MARK}' || handle AS handle"} if table in (PLAN, STUDY) else {}
    theirs = [marked.get(name, name) for name in names]
    numbers = ("rowid AS rowid", "-rowid AS rowid") if table is PLAN else ()
    here, there = (", ".join((*columns, *numbers[place : place + 1])) for place, columns in enumerate((names, theirs)))
    not_here = f"{value.format(table=table.name)} NOT IN (SELECT {key} FROM main.{owners.name})"
    return (
        f"CREATE TEMP VIEW {table.name} AS SELECT {here} FROM main.{table.name} UNION ALL "
        f"SELECT {there} FROM other.{table.name} WHERE {not_here}"
    )
