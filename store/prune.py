"""What a store may do without: old runs of plans that nobody named, and old plans that were put away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, Table, delete, func, select

from store import triggers
from store.identity import timestamp
from store.tables import (
    CANDIDATE,
    CANDIDATE_BLOCK,
    CANDIDATE_ORDER,
    EXCLUDED,
    HISTOGRAM,
    JOB,
    PART,
    PLAN,
    REPLICATION,
    SCENARIO,
    STUDY,
    TABLES,
    VERIFICATION,
    WORKLOAD,
)

SCORED = (HISTOGRAM, REPLICATION)
"""The runs of a plan, each table before those that it refers to."""
WHOLE = (VERIFICATION, STUDY, JOB, EXCLUDED, CANDIDATE, CANDIDATE_BLOCK, CANDIDATE_ORDER, PART)
"""What else goes before a plan does, in the same order."""
BATCH = 5_000
"""Ids of one statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prunable:
    """How much may go: runs of simulations that stay provable, archived plans whole, and the bytes of their content."""

    replications: int
    plans: int
    bytes: int


def measure(connection: Connection, *, older: timedelta, archived: bool, moment: datetime) -> Prunable:
    """Return what `prune` would delete; the bytes are those of texts and histograms."""
    plans, runs = _chosen(connection, older=older, archived=archived, moment=moment)
    both = sum(_size(connection, table, plans | runs) for table in SCORED)
    whole = sum(_size(connection, table, plans) for table in (*WHOLE, PLAN))
    counted = _rows(connection, REPLICATION, plans | runs)
    return Prunable(replications=counted, plans=len(plans), bytes=both + whole)


def prune(connection: Connection, *, older: timedelta, archived: bool, moment: datetime) -> Prunable:
    """Delete replications and archived plans that are `older`, and return how much that was.

    Replications go of finished plans without name, tag and work under way; what they showed stays in the
    verifications, and a rerun gives them again. Archived plans go whole if `archived`, but those that another was
    forked from, with the scenarios and workloads that no plan rests on any more.
    """
    found = measure(connection, older=older, archived=archived, moment=moment)
    plans, runs = _chosen(connection, older=older, archived=archived, moment=moment)
    triggers.drop(connection)
    for table in SCORED:
        _delete(connection, table, plans | runs)
    for table in (*WHOLE, PLAN):
        _delete(connection, table, plans)
    if plans:
        connection.execute(delete(SCENARIO).where(SCENARIO.c.digest.not_in(select(PLAN.c.scenario))))
        connection.execute(delete(WORKLOAD).where(WORKLOAD.c.digest.not_in(select(SCENARIO.c.workload))))
    triggers.create(connection, TABLES)
    return found


def _chosen(
    connection: Connection, *, older: timedelta, archived: bool, moment: datetime
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids of the plans that go whole, and of those whose runs go."""
    kept_up = select(JOB.c.plan).where(JOB.c.state != "done", JOB.c.plan.is_not(None))
    idle = (PLAN.c.finished == 1, PLAN.c.created < timestamp(moment - older), PLAN.c.id.not_in(kept_up))
    forked = select(PLAN.c.parent).where(PLAN.c.parent.is_not(None))
    put_away = select(PLAN.c.id).where(*idle, PLAN.c.archived == 1, PLAN.c.id.not_in(forked))
    plain = select(PLAN.c.id).where(*idle, PLAN.c.name == "", PLAN.c.tags == "[]")
    return frozenset(connection.scalars(put_away)) if archived else frozenset(), frozenset(connection.scalars(plain))


def _delete(connection: Connection, table: Table, plans: frozenset[str]) -> None:
    for some in _batches(plans):
        connection.execute(delete(table).where(_belongs(table, some)))


def _rows(connection: Connection, table: Table, plans: frozenset[str]) -> int:
    counts = (select(func.count()).select_from(table).where(_belongs(table, some)) for some in _batches(plans))
    return sum(connection.scalar(one) or 0 for one in counts)


def _size(connection: Connection, table: Table, plans: frozenset[str]) -> int:
    """Return the bytes of the large column of the rows of a table that belong to the plans, 0 where it has none."""
    held = next((table.c[name] for name in ("body", "cells") if name in table.c), None)
    if held is None:
        return 0
    sizes = (select(func.sum(func.length(held))).where(_belongs(table, some)) for some in _batches(plans))
    return sum(connection.scalar(one) or 0 for one in sizes)


def _belongs(table: Table, plans: Sequence[str]) -> ColumnElement[bool]:
    if table is PLAN:
        return PLAN.c.id.in_(plans)
    if "plan" in table.c:
        return table.c.plan.in_(plans)
    return table.c.candidate.in_(select(CANDIDATE.c.id).where(CANDIDATE.c.plan.in_(plans)))


def _batches(plans: frozenset[str]) -> Iterator[Sequence[str]]:
    """Yield the ids in parts that one statement takes."""
    rising = sorted(plans)
    yield from (rising[start : start + BATCH] for start in range(0, len(rising), BATCH))
