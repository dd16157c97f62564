"""A job may be a study, which has what was asked for in place of a plan, as text.

A table's checks cannot be changed, so the jobs are copied into a new one; they are all of plans.
"""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"

KEPT = """
    id, handle, kind, title, "plan", candidate, seed, precision, created, state, heartbeat, finished, owner, done,
    total, message, cancelling
"""
STATEMENTS = (
    "ALTER TABLE job RENAME TO old_job",
    """
    CREATE TABLE job (
        id TEXT NOT NULL,
        handle TEXT NOT NULL,
        kind TEXT NOT NULL,
        title TEXT NOT NULL,
        "plan" TEXT,
        candidate TEXT,
        seed INTEGER NOT NULL,
        precision REAL NOT NULL,
        created TEXT NOT NULL,
        state TEXT NOT NULL,
        heartbeat TEXT NOT NULL,
        finished TEXT,
        owner TEXT NOT NULL,
        done INTEGER NOT NULL,
        total INTEGER NOT NULL,
        message TEXT NOT NULL,
        cancelling INTEGER NOT NULL,
        asked TEXT,
        study TEXT,
        PRIMARY KEY (id),
        CONSTRAINT job_kind_is_known CHECK (kind IN ('plan', 'verify', 'simulate', 'study')),
        CONSTRAINT job_is_on_plan_or_study CHECK ((kind = 'study') = (plan IS NULL)),
        CONSTRAINT job_of_study_says_what_is_asked CHECK ((kind = 'study') = (asked IS NOT NULL)),
        CONSTRAINT job_asked_is_json CHECK (asked IS NULL OR json_valid(asked)),
        CONSTRAINT job_state_is_known CHECK (state IN ('running', 'done', 'failed', 'cancelled', 'stopped')),
        CONSTRAINT job_cancelling_is_flag CHECK (cancelling IN (0, 1)),
        CONSTRAINT job_counts_are_counts CHECK (done >= 0 AND total >= 0),
        UNIQUE (handle),
        FOREIGN KEY("plan") REFERENCES "plan" (id),
        FOREIGN KEY(candidate) REFERENCES candidate (id)
    )
     STRICT
    """,
    f"INSERT INTO job ({KEPT}) SELECT {KEPT} FROM old_job",
    "DROP TABLE old_job",
    "CREATE INDEX ix_job_state ON job (state)",
)


def upgrade() -> None:
    """Raise the tables of schema 0006; foreign keys are off and triggers dropped meanwhile."""
    for statement in STATEMENTS:
        op.execute(statement)
