"""A careless step that exists only in tests: its copy of a table is no longer STRICT."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.execute("CREATE TABLE new_excluded AS SELECT * FROM excluded")
    op.execute("DROP TABLE excluded")
    op.execute("ALTER TABLE new_excluded RENAME TO excluded")
