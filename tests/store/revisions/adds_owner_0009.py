"""A step that exists only in tests: copies and drops the plan table, to which candidates refer, and adds a table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    made = op.get_bind().exec_driver_sql("SELECT sql FROM sqlite_master WHERE tbl_name = 'plan' AND sql NOT NULL")
    table, *indexes = made.scalars()
    op.execute(
        sa.DDL(table.replace('"plan"', "new_plan", 1).replace("PRIMARY KEY", "owner TEXT NOT NULL, PRIMARY KEY", 1))
    )
    op.execute("INSERT INTO new_plan SELECT *, '' FROM \"plan\"")
    op.execute('DROP TABLE "plan"')
    op.execute('ALTER TABLE new_plan RENAME TO "plan"')
    for index in indexes:
        op.execute(sa.DDL(index))
    op.create_table("comparison", sa.Column("id", sa.TEXT, primary_key=True), sqlite_strict=True)
