"""A faulty step that exists only in tests: it loses the plans that candidates refer to."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.execute("DELETE FROM plan")
