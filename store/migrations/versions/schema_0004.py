"""Studies: what was asked beyond a plan, kept as tables."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"

STATEMENTS = (
    """
    CREATE TABLE study (
        id TEXT NOT NULL,
        handle TEXT NOT NULL,
        kind TEXT NOT NULL,
        title TEXT NOT NULL,
        question TEXT NOT NULL,
        "plan" TEXT,
        seed INTEGER NOT NULL,
        engine_version INTEGER NOT NULL,
        created TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (id),
        CONSTRAINT study_has_a_kind CHECK (kind <> ''),
        CONSTRAINT study_has_a_title CHECK (title <> ''),
        CONSTRAINT study_body_is_json CHECK (json_valid(body)),
        UNIQUE (handle),
        FOREIGN KEY("plan") REFERENCES "plan" (id)
    )
     STRICT
    """,
    'CREATE INDEX study_by_plan ON study ("plan", id)',
)


def upgrade() -> None:
    """Raise the tables of schema 0003; foreign keys are off and triggers dropped meanwhile."""
    for statement in STATEMENTS:
        op.execute(statement)
