"""Candidates stand in blocks, by column, and their orders are lists of ranks; the rows that are left name them.

A row whose body is not as it was written becomes a block by itself, with the body and the checksum that it has, so
that it is told as before.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator
from itertools import groupby

from alembic import op

from fleettui.errors import UnreadableError
from store.candidate_orders import packed
from store.checksum import checksum
from store.old_candidates import raised

revision = "0008"
down_revision = "0007"

TABLES = (
    """
    CREATE TABLE candidate (
        id TEXT NOT NULL,
        handle TEXT NOT NULL,
        "plan" TEXT NOT NULL,
        rank INTEGER NOT NULL,
        PRIMARY KEY (id),
        CONSTRAINT candidate_rank_is_unique UNIQUE ("plan", rank),
        FOREIGN KEY("plan") REFERENCES "plan" (id)
    )
     STRICT
    """,
    "CREATE UNIQUE INDEX candidate_by_handle ON candidate (handle)",
    """
    CREATE TABLE candidate_block (
        "plan" TEXT NOT NULL,
        first INTEGER NOT NULL,
        body TEXT NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY ("plan", first),
        FOREIGN KEY("plan") REFERENCES "plan" (id)
    )
     STRICT
    """,
    """
    CREATE TABLE candidate_order (
        "plan" TEXT NOT NULL,
        name TEXT NOT NULL,
        body BLOB NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY ("plan", name),
        FOREIGN KEY("plan") REFERENCES "plan" (id)
    )
     STRICT
    """,
)
ORDERS = {
    "rank": "feasible DESC, cost_per_hour, gpus",
    "cost_per_hour": "cost_per_hour",
    "gpus": "gpus",
    **{name: f"{name} IS NULL, {name}" for name in ("power", "ttft", "tpot", "e2e")},
}
NAMES = ("rank", "body", "checksum", "ttft", "tpot", "e2e")
ROWS = """
    SELECT rank, CAST(body AS BLOB), checksum, ttft, tpot, e2e FROM old_candidate WHERE plan = ? ORDER BY rank
"""
BLOCK = "INSERT INTO candidate_block SELECT plan, rank, body, checksum FROM old_candidate WHERE plan = ? AND rank = ?"


def upgrade() -> None:
    """Raise the tables of schema 0007; foreign keys are off and triggers dropped meanwhile."""
    raw = op.get_bind().connection.dbapi_connection
    assert isinstance(raw, sqlite3.Connection)
    raw.execute("PRAGMA legacy_alter_table=ON")  # what refers to a table goes on to refer to its name
    raw.execute("ALTER TABLE candidate RENAME TO old_candidate")
    for statement in TABLES:
        raw.execute(statement)
    raw.execute("INSERT INTO candidate SELECT id, handle, plan, rank FROM old_candidate ORDER BY id")
    for (plan,) in raw.execute('SELECT id FROM "plan" ORDER BY id').fetchall():
        _raise(raw, plan)
    raw.execute("DROP TABLE old_candidate")
    raw.execute("PRAGMA legacy_alter_table=OFF")


def _raise(raw: sqlite3.Connection, plan: str) -> None:
    """Write the blocks, parts and orders of a plan."""
    (highest,) = raw.execute("SELECT max(number) FROM part WHERE plan = ?", (plan,)).fetchone()
    following = (highest or 0) + 1
    for is_whole, rows in groupby(_rows(raw, plan), key=_is_whole):
        if not is_whole:
            raw.executemany(BLOCK, [(plan, row["rank"]) for row in rows])
            continue
        for one in raised(rows, following):
            parts = [(plan, number, body, checksum(body)) for number, body in one.parts.items()]
            raw.executemany("INSERT INTO part VALUES (?, ?, ?, ?)", parts)
            following += len(parts)
            raw.execute(
                "INSERT INTO candidate_block VALUES (?, ?, ?, ?)", (plan, one.block.first, one.body, checksum(one.body))
            )
    for name, keys in ORDERS.items():
        chosen = raw.execute(f"SELECT rank FROM old_candidate WHERE plan = ? ORDER BY {keys}, rank", (plan,))
        if body := packed(array("I", [rank for (rank,) in chosen])):
            raw.execute("INSERT INTO candidate_order VALUES (?, ?, ?, ?)", (plan, name, body, checksum(body)))


def _rows(raw: sqlite3.Connection, plan: str) -> Iterator[dict[str, object]]:
    return (dict(zip(NAMES, row, strict=True)) for row in raw.execute(ROWS, (plan,)))


def _is_whole(row: dict[str, object]) -> bool:
    """Tell whether a row's body is as it was written."""
    body = row["body"]
    assert isinstance(body, bytes)
    if checksum(body) != row["checksum"]:
        return False
    try:
        next(raised([row], 1))
    except UnreadableError:
        return False
    return True
