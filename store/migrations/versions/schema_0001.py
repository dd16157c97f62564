"""The first tables, as text: what later steps start from, whatever `store.tables` has become since."""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None

STATEMENTS = (
    """
    CREATE TABLE workload (
        digest TEXT NOT NULL,
        name TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (digest),
        CONSTRAINT workload_digest_is_sha256 CHECK (length(digest) = 64),
        CONSTRAINT workload_body_is_json CHECK (json_valid(body))
    )
     STRICT
    """,
    """
    CREATE TABLE profile (
        digest TEXT NOT NULL,
        gpu TEXT NOT NULL,
        model TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (digest),
        CONSTRAINT profile_digest_is_sha256 CHECK (length(digest) = 64),
        CONSTRAINT profile_body_is_json CHECK (json_valid(body))
    )
     STRICT
    """,
    """
    CREATE TABLE scenario (
        digest TEXT NOT NULL,
        workload TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (digest),
        CONSTRAINT scenario_digest_is_sha256 CHECK (length(digest) = 64),
        CONSTRAINT scenario_body_is_json CHECK (json_valid(body)),
        FOREIGN KEY(workload) REFERENCES workload (digest)
    )
     STRICT
    """,
    """
    CREATE TABLE provenance (
        digest TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (digest),
        CONSTRAINT provenance_digest_is_sha256 CHECK (length(digest) = 64),
        CONSTRAINT provenance_body_is_json CHECK (json_valid(body))
    )
     STRICT
    """,
    """
    CREATE TABLE "plan" (
        id TEXT NOT NULL,
        handle TEXT NOT NULL,
        created TEXT NOT NULL,
        name TEXT NOT NULL,
        note TEXT NOT NULL,
        tags TEXT NOT NULL,
        archived INTEGER NOT NULL,
        scenario TEXT NOT NULL,
        provenance TEXT NOT NULL,
        engine_version INTEGER NOT NULL,
        seed INTEGER NOT NULL,
        verdict TEXT NOT NULL,
        method TEXT NOT NULL,
        workload TEXT NOT NULL,
        model TEXT NOT NULL,
        fleet TEXT NOT NULL,
        answer_rank INTEGER,
        gpus INTEGER,
        cost_per_hour REAL,
        ttft REAL,
        tpot REAL,
        e2e REAL,
        body TEXT NOT NULL,
        PRIMARY KEY (id),
        CONSTRAINT plan_verdict_is_known CHECK (verdict IN ('pass', 'fail', 'unproven', 'infeasible')),
        CONSTRAINT plan_archived_is_flag CHECK (archived IN (0, 1)),
        CONSTRAINT plan_tags_are_json CHECK (json_valid(tags)),
        CONSTRAINT plan_answer_has_gpus CHECK ((answer_rank IS NULL) = (gpus IS NULL)),
        UNIQUE (handle),
        FOREIGN KEY(scenario) REFERENCES scenario (digest),
        FOREIGN KEY(provenance) REFERENCES provenance (digest)
    )
     STRICT
    """,
    """
    CREATE INDEX ix_plan_name ON "plan" (name)
    """,
    """
    CREATE INDEX ix_plan_scenario ON "plan" (scenario)
    """,
    """
    CREATE TABLE candidate (
        id TEXT NOT NULL,
        handle TEXT NOT NULL,
        "plan" TEXT NOT NULL,
        rank INTEGER NOT NULL,
        cost_per_hour REAL NOT NULL,
        gpus INTEGER NOT NULL,
        power REAL,
        ttft REAL,
        tpot REAL,
        e2e REAL,
        feasible INTEGER NOT NULL,
        topology TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (id),
        CONSTRAINT candidate_feasible_is_flag CHECK (feasible IN (0, 1)),
        CONSTRAINT candidate_has_gpus CHECK (gpus > 0),
        CONSTRAINT candidate_rank_is_unique UNIQUE ("plan", rank),
        UNIQUE (handle),
        FOREIGN KEY("plan") REFERENCES "plan" (id)
    )
     STRICT
    """,
    """
    CREATE INDEX candidate_by_cost ON candidate ("plan", cost_per_hour)
    """,
    """
    CREATE TABLE excluded (
        "plan" TEXT NOT NULL,
        position INTEGER NOT NULL,
        topology TEXT NOT NULL,
        reason TEXT NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY ("plan", position),
        CONSTRAINT excluded_count_is_count CHECK (count >= 0),
        FOREIGN KEY("plan") REFERENCES "plan" (id)
    )
     STRICT
    """,
)


def upgrade() -> None:
    """Make the tables of schema 0001 in an empty file."""
    for statement in STATEMENTS:
        op.execute(statement)
