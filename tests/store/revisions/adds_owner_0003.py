"""A step that exists only in tests: copies and drops the plan table, to which candidates refer, and adds a table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    with op.batch_alter_table("plan", recreate="always") as batch:
        batch.add_column(sa.Column("owner", sa.TEXT, nullable=False, server_default=""))
    op.create_table("comparison", sa.Column("id", sa.TEXT, primary_key=True), sqlite_strict=True)
