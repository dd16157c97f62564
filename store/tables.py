"""The tables: columns for what is sorted or filtered, JSON (`body`) for what is read whole.

Types are SQLite's own and every table is STRICT, since SQLModel does not validate what it writes. NULL means
undefined, `checksum` is that of the body. The tables of the inputs stand in `store.input_tables`.
"""

from __future__ import annotations

from sqlalchemy import (
    BLOB,
    INTEGER,
    REAL,
    TEXT,
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    Table,
    UniqueConstraint,
    text,
)
from sqlmodel import Field

from store.input_tables import STRICT, Row

QUERIED = (
    "name", "workload", "model", "tags", "created", "verdict", "gpus", "cost_per_hour", "ttft", "tpot", "e2e", "rate",
)  # fmt: skip
VERDICT = "verdict IN ('pass', 'fail', 'unproven', 'infeasible')"


def _undefined_last(name: str, first: str, column: str, *rest: str) -> Index:
    """Return an index, in which `first` goes before, by a column whose undefined values come last."""
    head = (first,) if first else ()
    return Index(name, *head, text(f"{column} IS NULL"), column, *rest)


class Plan(Row, table=True):
    """A question and what it came to. Name, note, tags (a JSON list) and archived may change; nothing else does.

    Until it is `finished` (1) the columns of its answer, from `verdict` on, may change too: they hold what is known
    so far. `parent` is the plan that it was forked from; the SLO's columns are the question's. `rate` is the demand in
    requests per second, `candidates` how many there are, `answer_rank` the rank of the answer among them, NULL when
    infeasible; the figures are the answer's, its latencies those of its worst pool in seconds, simulated where
    `method` says so. `created` is UTC, ISO-8601.
    """

    __table_args__ = (
        CheckConstraint(VERDICT, name="plan_verdict_is_known"),
        CheckConstraint("archived IN (0, 1)", name="plan_archived_is_flag"),
        CheckConstraint("finished IN (0, 1)", name="plan_finished_is_flag"),
        CheckConstraint("json_valid(tags)", name="plan_tags_are_json"),
        CheckConstraint("(answer_rank IS NULL) = (gpus IS NULL)", name="plan_answer_has_gpus"),
        # What a query asks for, so that a search reads no plan that it does not show.
        Index("plan_by_id", "id", "archived", *QUERIED),
        _undefined_last("plan_by_cost", "", "cost_per_hour", "id", "archived"),
        _undefined_last("plan_by_ttft", "", "ttft", "id", "archived"),
        Index("plan_by_verdict", "verdict", "id", "archived"),
        Index("plan_by_name", text("name = ''"), text("name COLLATE NOCASE"), "id", "archived"),
        Index("plan_by_parent", "parent", "id"),
        Index("plan_by_scenario", "scenario", "id"),
        STRICT,
    )
    id: str = Field(sa_type=TEXT, primary_key=True)
    handle: str = Field(sa_type=TEXT, unique=True)
    created: str = Field(sa_type=TEXT)
    name: str = Field(sa_type=TEXT, index=True)
    note: str = Field(sa_type=TEXT)
    tags: str = Field(sa_type=TEXT)
    archived: int = Field(sa_type=INTEGER)
    scenario: str = Field(sa_type=TEXT, foreign_key="scenario.digest", index=True)
    provenance: str = Field(sa_type=TEXT, foreign_key="provenance.digest")
    engine_version: int = Field(sa_type=INTEGER)
    seed: int = Field(sa_type=INTEGER)
    workload: str = Field(sa_type=TEXT)
    model: str = Field(sa_type=TEXT)
    parent: str | None = Field(sa_type=TEXT, foreign_key="plan.id")
    slo_ttft: float | None = Field(sa_type=REAL)
    slo_tpot: float | None = Field(sa_type=REAL)
    slo_e2e: float | None = Field(sa_type=REAL)
    percentile: float = Field(sa_type=REAL)
    finished: int = Field(sa_type=INTEGER)
    verdict: str = Field(sa_type=TEXT)
    method: str = Field(sa_type=TEXT)
    fleet: str = Field(sa_type=TEXT)
    rate: float = Field(sa_type=REAL)
    candidates: int = Field(sa_type=INTEGER)
    answer_rank: int | None = Field(sa_type=INTEGER)
    gpus: int | None = Field(sa_type=INTEGER)
    cost_per_hour: float | None = Field(sa_type=REAL)
    ttft: float | None = Field(sa_type=REAL)
    tpot: float | None = Field(sa_type=REAL)
    e2e: float | None = Field(sa_type=REAL)
    body: str = Field(sa_type=TEXT)
    checksum: int = Field(sa_type=INTEGER)


class Part(Row, table=True):
    """A pool or its figures, which candidates of a plan share; `number` counts from 1. See `store.parts`."""

    __table_args__ = (CheckConstraint("json_valid(body)", name="part_body_is_json"), STRICT)
    plan: str = Field(sa_type=TEXT, foreign_key="plan.id", primary_key=True)
    number: int = Field(sa_type=INTEGER, primary_key=True)
    body: str = Field(sa_type=TEXT)
    checksum: int = Field(sa_type=INTEGER)


class Candidate(Row, table=True):
    """A fleet that a plan's search handed out whole, by name; what it is stands in a block.

    The first of a plan have rows, each further one once something refers to it: see `store.names`.
    Rank 0 is an answer that is not among the ranked ones; fleets that were tried later have the ranks after those.
    """

    __table_args__ = (
        UniqueConstraint("plan", "rank", name="candidate_rank_is_unique"),
        Index("candidate_by_handle", "handle", unique=True),
        STRICT,
    )
    id: str = Field(sa_type=TEXT, primary_key=True)
    handle: str = Field(sa_type=TEXT)
    plan: str = Field(sa_type=TEXT, foreign_key="plan.id")
    rank: int = Field(sa_type=INTEGER)


class CandidateBlock(Row, table=True):
    """Candidates of a plan with their figures by formula, whose ranks follow each other from `first` on.

    See `store.candidate_blocks`.
    """

    __tablename__ = "candidate_block"
    __table_args__ = (STRICT,)
    plan: str = Field(sa_type=TEXT, foreign_key="plan.id", primary_key=True)
    first: int = Field(sa_type=INTEGER, primary_key=True)
    body: str = Field(sa_type=TEXT)
    checksum: int = Field(sa_type=INTEGER)


class CandidateOrder(Row, table=True):
    """The ranks of a plan's candidates in one of the orders in which they are told. See `store.candidate_orders`.

    Until the plan is finished, candidates may take their places in it.
    """

    __tablename__ = "candidate_order"
    __table_args__ = (STRICT,)
    plan: str = Field(sa_type=TEXT, foreign_key="plan.id", primary_key=True)
    name: str = Field(sa_type=TEXT, primary_key=True)
    body: bytes = Field(sa_type=BLOB)
    checksum: int = Field(sa_type=INTEGER)


class Excluded(Row, table=True):
    """How many fleets of a plan a bound left out, by topology and reason, in the order they were told."""

    __table_args__ = (CheckConstraint("count >= 0", name="excluded_count_is_count"), STRICT)
    plan: str = Field(sa_type=TEXT, foreign_key="plan.id", primary_key=True)
    position: int = Field(sa_type=INTEGER, primary_key=True)
    topology: str = Field(sa_type=TEXT)
    reason: str = Field(sa_type=TEXT)
    count: int = Field(sa_type=INTEGER)


class Verification(Row, table=True):
    """What simulations said of a candidate at one time; the newest counts. The columns are the body's Evidence's.

    `ttft` is the percentile of the fleet's mixture in seconds with the ends of its interval.
    """

    __table_args__ = (
        CheckConstraint(VERDICT, name="verification_verdict_is_known"),
        CheckConstraint("json_valid(body)", name="verification_body_is_json"),
        Index("verification_by_candidate", "candidate", "id"),
        STRICT,
    )
    id: str = Field(sa_type=TEXT, primary_key=True)
    candidate: str = Field(sa_type=TEXT, foreign_key="candidate.id")
    seed: int = Field(sa_type=INTEGER)
    created: str = Field(sa_type=TEXT)
    verdict: str = Field(sa_type=TEXT)
    replications: int = Field(sa_type=INTEGER)
    requests: int = Field(sa_type=INTEGER)
    ttft: float | None = Field(sa_type=REAL)
    ttft_low: float | None = Field(sa_type=REAL)
    ttft_high: float | None = Field(sa_type=REAL)
    body: str = Field(sa_type=TEXT)
    checksum: int = Field(sa_type=INTEGER)


class Replication(Row, table=True):
    """One run of a candidate; `position` and the root seed fix its random streams. The body lacks the histograms."""

    __table_args__ = (
        CheckConstraint("length(digest) = 64", name="replication_digest_is_sha256"),
        CheckConstraint("json_valid(body)", name="replication_body_is_json"),
        STRICT,
    )
    candidate: str = Field(sa_type=TEXT, foreign_key="candidate.id", primary_key=True)
    seed: int = Field(sa_type=INTEGER, primary_key=True)
    position: int = Field(sa_type=INTEGER, primary_key=True)
    created: str = Field(sa_type=TEXT)
    requests: int = Field(sa_type=INTEGER)
    ttft: float | None = Field(sa_type=REAL)
    attainment: float | None = Field(sa_type=REAL)
    digest: str = Field(sa_type=TEXT)
    body: str = Field(sa_type=TEXT)
    checksum: int = Field(sa_type=INTEGER)


class Histogram(Row, table=True):
    """How one metric of one pool was spread in a replication; `cells` as `store.histogram_codec` packs them.

    `pool` counts the fleet's pools from 0; `place` is where the histogram stands among its pool's.
    """

    __table_args__ = (
        ForeignKeyConstraint(
            ["candidate", "seed", "position"],
            ["replication.candidate", "replication.seed", "replication.position"],
        ),
        STRICT,
    )
    candidate: str = Field(sa_type=TEXT, primary_key=True)
    seed: int = Field(sa_type=INTEGER, primary_key=True)
    position: int = Field(sa_type=INTEGER, primary_key=True)
    pool: int = Field(sa_type=INTEGER, primary_key=True)
    place: int = Field(sa_type=INTEGER, primary_key=True)
    metric: str = Field(sa_type=TEXT)
    cells: bytes = Field(sa_type=BLOB)


class Job(Row, table=True):
    """Work on a plan or one of its candidates, or a study, which outlives the program that does it.

    See `fleettui.domain.job`. What it is stays; how far it has come, from `state` on, may change until it is done. One
    that failed or was cancelled may only be taken up again. NULL in `finished` means not yet; times are UTC, ISO-8601.
    A study has `asked`, as JSON, in place of a plan; `study` is the id of what it came to, which may be gone since.
    """

    __table_args__ = (
        CheckConstraint("kind IN ('plan', 'verify', 'simulate', 'study')", name="job_kind_is_known"),
        CheckConstraint("(kind = 'study') = (plan IS NULL)", name="job_is_on_plan_or_study"),
        CheckConstraint("(kind = 'study') = (asked IS NOT NULL)", name="job_of_study_says_what_is_asked"),
        CheckConstraint("asked IS NULL OR json_valid(asked)", name="job_asked_is_json"),
        CheckConstraint("state IN ('running', 'done', 'failed', 'cancelled', 'stopped')", name="job_state_is_known"),
        CheckConstraint("cancelling IN (0, 1)", name="job_cancelling_is_flag"),
        CheckConstraint("done >= 0 AND total >= 0", name="job_counts_are_counts"),
        STRICT,
    )
    id: str = Field(sa_type=TEXT, primary_key=True)
    handle: str = Field(sa_type=TEXT, unique=True)
    kind: str = Field(sa_type=TEXT)
    title: str = Field(sa_type=TEXT)
    plan: str | None = Field(sa_type=TEXT, foreign_key="plan.id")
    candidate: str | None = Field(sa_type=TEXT, foreign_key="candidate.id")
    seed: int = Field(sa_type=INTEGER)
    precision: float = Field(sa_type=REAL)
    created: str = Field(sa_type=TEXT)
    state: str = Field(sa_type=TEXT, index=True)
    heartbeat: str = Field(sa_type=TEXT)
    finished: str | None = Field(sa_type=TEXT)
    owner: str = Field(sa_type=TEXT)
    done: int = Field(sa_type=INTEGER)
    total: int = Field(sa_type=INTEGER)
    message: str = Field(sa_type=TEXT)
    cancelling: int = Field(sa_type=INTEGER)
    asked: str | None = Field(sa_type=TEXT)
    study: str | None = Field(sa_type=TEXT)


class Study(Row, table=True):
    """Findings beyond a plan, as tables in `body`. See `fleettui.domain.study`.

    `plan` is the one that it is about, NULL where there is none; `question` is what was asked, in one line as typed.
    What kinds there are is the domain's to know: a new one needs no new schema.
    """

    __table_args__ = (
        CheckConstraint("kind <> ''", name="study_has_a_kind"),
        CheckConstraint("title <> ''", name="study_has_a_title"),
        CheckConstraint("json_valid(body)", name="study_body_is_json"),
        # Ids rise with time, so this and the key are walked backwards for the newest first.
        Index("study_by_plan", "plan", "id"),
        STRICT,
    )
    id: str = Field(sa_type=TEXT, primary_key=True)
    handle: str = Field(sa_type=TEXT, unique=True)
    kind: str = Field(sa_type=TEXT)
    title: str = Field(sa_type=TEXT)
    question: str = Field(sa_type=TEXT)
    plan: str | None = Field(sa_type=TEXT, foreign_key="plan.id")
    seed: int = Field(sa_type=INTEGER)
    engine_version: int = Field(sa_type=INTEGER)
    created: str = Field(sa_type=TEXT)
    body: str = Field(sa_type=TEXT)
    checksum: int = Field(sa_type=INTEGER)


def _table(name: str) -> Table:
    return Row.metadata.tables[name]


WORKLOAD, PROFILE, SCENARIO, PROVENANCE = map(_table, ("workload", "profile", "scenario", "provenance"))
PLAN, PART, EXCLUDED = map(_table, ("plan", "part", "excluded"))
CANDIDATE, CANDIDATE_BLOCK, CANDIDATE_ORDER = map(_table, ("candidate", "candidate_block", "candidate_order"))
VERIFICATION, REPLICATION, HISTOGRAM = map(_table, ("verification", "replication", "histogram"))
JOB, STUDY = map(_table, ("job", "study"))
TABLES = (
    WORKLOAD,
    PROFILE,
    SCENARIO,
    PROVENANCE,
    PLAN,
    PART,
    CANDIDATE,
    CANDIDATE_BLOCK,
    CANDIDATE_ORDER,
    EXCLUDED,
    VERIFICATION,
    REPLICATION,
    HISTOGRAM,
    JOB,
    STUDY,
)
