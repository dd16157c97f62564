"""Proof: a plan that is finished later, verifications and replications of candidates, and jobs, as text.

A table's constraints cannot be added to, so the plans are copied into a new table; all of them were finished.
"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

STATEMENTS = (
    """
    CREATE TABLE new_plan (
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
        workload TEXT NOT NULL,
        model TEXT NOT NULL,
        finished INTEGER NOT NULL,
        verdict TEXT NOT NULL,
        method TEXT NOT NULL,
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
        CONSTRAINT plan_finished_is_flag CHECK (finished IN (0, 1)),
        CONSTRAINT plan_tags_are_json CHECK (json_valid(tags)),
        CONSTRAINT plan_answer_has_gpus CHECK ((answer_rank IS NULL) = (gpus IS NULL)),
        UNIQUE (handle),
        FOREIGN KEY(scenario) REFERENCES scenario (digest),
        FOREIGN KEY(provenance) REFERENCES provenance (digest)
    )
     STRICT
    """,
    """
    INSERT INTO new_plan (
        id, handle, created, name, note, tags, archived, scenario, provenance, engine_version, seed,
        workload, model, verdict, method, fleet, answer_rank, gpus, cost_per_hour, ttft, tpot, e2e, body, finished
    )
    SELECT
        id, handle, created, name, note, tags, archived, scenario, provenance, engine_version, seed,
        workload, model, verdict, method, fleet, answer_rank, gpus, cost_per_hour, ttft, tpot, e2e, body, 1
    FROM "plan"
    """,
    'DROP TABLE "plan"',
    'ALTER TABLE new_plan RENAME TO "plan"',
    'CREATE INDEX ix_plan_name ON "plan" (name)',
    'CREATE INDEX ix_plan_scenario ON "plan" (scenario)',
    """
    CREATE TABLE verification (
        id TEXT NOT NULL,
        candidate TEXT NOT NULL,
        seed INTEGER NOT NULL,
        created TEXT NOT NULL,
        verdict TEXT NOT NULL,
        replications INTEGER NOT NULL,
        requests INTEGER NOT NULL,
        ttft REAL,
        ttft_low REAL,
        ttft_high REAL,
        body TEXT NOT NULL,
        PRIMARY KEY (id),
        CONSTRAINT verification_verdict_is_known CHECK (verdict IN ('pass', 'fail', 'unproven', 'infeasible')),
        CONSTRAINT verification_body_is_json CHECK (json_valid(body)),
        FOREIGN KEY(candidate) REFERENCES candidate (id)
    )
     STRICT
    """,
    "CREATE INDEX verification_by_candidate ON verification (candidate, id)",
    """
    CREATE TABLE replication (
        candidate TEXT NOT NULL,
        seed INTEGER NOT NULL,
        position INTEGER NOT NULL,
        created TEXT NOT NULL,
        requests INTEGER NOT NULL,
        ttft REAL,
        attainment REAL,
        digest TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (candidate, seed, position),
        CONSTRAINT replication_digest_is_sha256 CHECK (length(digest) = 64),
        CONSTRAINT replication_body_is_json CHECK (json_valid(body)),
        FOREIGN KEY(candidate) REFERENCES candidate (id)
    )
     STRICT
    """,
    """
    CREATE TABLE histogram (
        candidate TEXT NOT NULL,
        seed INTEGER NOT NULL,
        position INTEGER NOT NULL,
        pool INTEGER NOT NULL,
        place INTEGER NOT NULL,
        metric TEXT NOT NULL,
        cells BLOB NOT NULL,
        PRIMARY KEY (candidate, seed, position, pool, place),
        FOREIGN KEY(candidate, seed, position)
            REFERENCES replication (candidate, seed, position)
    )
     STRICT
    """,
    """
    CREATE TABLE job (
        id TEXT NOT NULL,
        handle TEXT NOT NULL,
        kind TEXT NOT NULL,
        title TEXT NOT NULL,
        "plan" TEXT NOT NULL,
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
        PRIMARY KEY (id),
        CONSTRAINT job_kind_is_known CHECK (kind IN ('plan', 'verify', 'simulate')),
        CONSTRAINT job_state_is_known CHECK (state IN ('running', 'done', 'failed', 'cancelled', 'stopped')),
        CONSTRAINT job_cancelling_is_flag CHECK (cancelling IN (0, 1)),
        CONSTRAINT job_counts_are_counts CHECK (done >= 0 AND total >= 0),
        UNIQUE (handle),
        FOREIGN KEY("plan") REFERENCES "plan" (id),
        FOREIGN KEY(candidate) REFERENCES candidate (id)
    )
     STRICT
    """,
    "CREATE INDEX ix_job_state ON job (state)",
)


def upgrade() -> None:
    """Raise the tables of schema 0001; foreign keys are off and triggers dropped meanwhile."""
    for statement in STATEMENTS:
        op.execute(statement)
