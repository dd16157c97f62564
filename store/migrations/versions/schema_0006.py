"""Parts that candidates share are written once, and every body has a checksum, as text.

Bodies stay as they are: older candidates hold their parts whole. A column cannot be added in the midst of a table, so
each is copied into a new one of its name.
"""

from __future__ import annotations

import sqlite3

from alembic import op

from store.checksum import checksum

revision = "0006"
down_revision = "0005"

PART = """
    CREATE TABLE part (
        "plan" TEXT NOT NULL,
        number INTEGER NOT NULL,
        body TEXT NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY ("plan", number),
        CONSTRAINT part_body_is_json CHECK (json_valid(body)),
        FOREIGN KEY("plan") REFERENCES "plan" (id)
    )
     STRICT
    """
SEALED = ("plan", "candidate", "verification", "replication", "study")
BODY = "body TEXT NOT NULL,"
MADE = "SELECT sql FROM sqlite_master WHERE tbl_name = '{table}' AND sql NOT NULL ORDER BY type = 'index'"


def upgrade() -> None:
    """Raise the tables of schema 0005; foreign keys are off and triggers dropped meanwhile."""
    raw = op.get_bind().connection.dbapi_connection
    assert isinstance(raw, sqlite3.Connection)
    raw.create_function("checksum_of", 1, checksum, deterministic=True)
    op.execute("PRAGMA legacy_alter_table=ON")  # what refers to a table goes on to refer to its name
    for table in SEALED:
        _seal(table)
    op.execute("PRAGMA legacy_alter_table=OFF")
    op.execute(PART)


def _seal(table: str) -> None:
    """Give a table its column for the checksum of the body, which is worked out for the rows that it has."""
    made, *indexes = op.get_bind().exec_driver_sql(MADE.format(table=table)).scalars()
    assert made.count(BODY) == 1, f"{table} has no body: {made}"
    columns = [row.name for row in op.get_bind().exec_driver_sql(f'PRAGMA table_info("{table}")')]
    listed = ", ".join(f'"{name}"' for name in columns)
    op.execute(f'ALTER TABLE "{table}" RENAME TO old_{table}')
    op.get_bind().exec_driver_sql(made.replace(BODY, f"{BODY} checksum INTEGER NOT NULL,"))
    op.execute(f'INSERT INTO "{table}" ({listed}, checksum) SELECT {listed}, checksum_of(body) FROM old_{table}')
    op.execute(f"DROP TABLE old_{table}")
    for index in indexes:
        op.get_bind().exec_driver_sql(index)
