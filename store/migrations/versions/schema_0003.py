"""What a list shows of a question, the plan it was forked from, and an index for every order, as text.

A table's references cannot be added to before its last column, so the plans are copied into a new table. What is new
in it was in the bodies all along; no plan had a parent.
"""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"

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
        parent TEXT,
        slo_ttft REAL,
        slo_tpot REAL,
        slo_e2e REAL,
        percentile REAL NOT NULL,
        finished INTEGER NOT NULL,
        verdict TEXT NOT NULL,
        method TEXT NOT NULL,
        fleet TEXT NOT NULL,
        rate REAL NOT NULL,
        candidates INTEGER NOT NULL,
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
        FOREIGN KEY(provenance) REFERENCES provenance (digest),
        FOREIGN KEY(parent) REFERENCES "plan" (id)
    )
     STRICT
    """,
    """
    INSERT INTO new_plan (
        id, handle, created, name, note, tags, archived, scenario, provenance, engine_version, seed, workload, model,
        finished, verdict, method, fleet, answer_rank, gpus, cost_per_hour, ttft, tpot, e2e, body,
        parent, slo_ttft, slo_tpot, slo_e2e, percentile, rate, candidates
    )
    SELECT
        "plan".id, handle, created, name, note, tags, archived, scenario, provenance, engine_version, seed,
        "plan".workload, model, finished, verdict, method, fleet, answer_rank, gpus, cost_per_hour, ttft, tpot, e2e,
        "plan".body, NULL, json_extract(asked.body, '$.question.slo.ttft'),
        json_extract(asked.body, '$.question.slo.tpot'), json_extract(asked.body, '$.question.slo.e2e'),
        json_extract(asked.body, '$.question.slo.percentile'), json_extract("plan".body, '$.demand.rate'),
        (SELECT count(*) FROM candidate WHERE candidate."plan" = "plan".id)
    FROM "plan" JOIN scenario AS asked ON asked.digest = "plan".scenario
    """,
    'DROP TABLE "plan"',
    'ALTER TABLE new_plan RENAME TO "plan"',
    'CREATE INDEX ix_plan_name ON "plan" (name)',
    'CREATE INDEX ix_plan_scenario ON "plan" (scenario)',
    """
    CREATE INDEX plan_by_id ON "plan" (
        id, archived, name, workload, model, tags, created, verdict, gpus, cost_per_hour, ttft, tpot, e2e, rate
    )
    """,
    'CREATE INDEX plan_by_cost ON "plan" (cost_per_hour IS NULL, cost_per_hour, id, archived)',
    'CREATE INDEX plan_by_ttft ON "plan" (ttft IS NULL, ttft, id, archived)',
    'CREATE INDEX plan_by_verdict ON "plan" (verdict, id, archived)',
    """CREATE INDEX plan_by_name ON "plan" (name = '', name COLLATE NOCASE, id, archived)""",
    "UPDATE candidate SET cost_per_hour = round(cost_per_hour, 9)",
    "DROP INDEX candidate_by_cost",
    'CREATE INDEX candidate_by_rank ON candidate ("plan", feasible DESC, cost_per_hour, gpus, rank)',
    'CREATE INDEX candidate_by_cost ON candidate ("plan", cost_per_hour, rank)',
    'CREATE INDEX candidate_by_gpus ON candidate ("plan", gpus, rank)',
    *(
        f'CREATE INDEX candidate_by_{name} ON candidate ("plan", {name} IS NULL, {name}, rank)'
        for name in ("power", "ttft", "tpot", "e2e")
    ),
)


def upgrade() -> None:
    """Raise the tables of schema 0002; foreign keys are off and triggers dropped meanwhile."""
    for statement in STATEMENTS:
        op.execute(statement)
