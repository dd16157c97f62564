"""Plans are found by the plan that they were forked from, and by what was asked."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Raise the tables of schema 0004; foreign keys are off and triggers dropped meanwhile."""
    op.execute('CREATE INDEX plan_by_parent ON "plan" (parent, id)')
    op.execute('CREATE INDEX plan_by_scenario ON "plan" (scenario, id)')
