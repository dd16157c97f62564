"""A careless step that exists only in tests: its copy of a table is no longer STRICT."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    with op.batch_alter_table("excluded", recreate="always", table_kwargs={"sqlite_strict": False}) as batch:
        batch.add_column(sa.Column("note", sa.TEXT, nullable=True))
