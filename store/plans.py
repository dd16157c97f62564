"""Plans and their candidates: written whole, read whole, or listed a page at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import Connection, func, insert, select

from fleettui.domain.plan import Answer, Candidate, PlanRow
from fleettui.errors import InputError
from store import convert, labels
from store.identity import new_handles, new_ids, timestamp
from store.queries import Condition
from store.tables import CANDIDATE, EXCLUDED, PLAN

BATCH = 5_000
"""Rows, or values of one IN list, that go to SQLite at a time."""

ORDERS = ("rank", "cost_per_hour", "gpus", "power", "ttft", "tpot", "e2e")
"""What candidates may be sorted by; undefined comes last and ties go by rank."""


def identify(connection: Connection, answer: Answer, *, moment: datetime, randomness: int) -> tuple[Answer, int | None]:
    """Return the answer with ids, handles and time filled in, and the rank of its best candidate (None: none).

    Ranks count from 1 in the order of `answer.candidates`; an answer that is not among them has rank 0. Call it
    under the write lock, which keeps the handles free until they are written.
    """
    labels.check_name(answer.plan.name)
    best, ranked = answer.answer, answer.candidates
    rank = None if best is None else ranked.index(best) + 1 if best in ranked else 0
    alone = (best,) if best is not None and rank == 0 else ()
    after = connection.scalar(select(func.max(PLAN.c.id))) or ""
    ids = new_ids(1 + len(alone) + len(ranked), moment=moment, randomness=randomness, after=after)
    handles = new_handles(ids, lambda wanted: _taken(connection, wanted))
    candidates = tuple(
        replace(candidate, candidate=identifier, handle=handle)
        for candidate, identifier, handle in zip(alone + ranked, ids[1:], handles[1:], strict=True)
    )
    identity = replace(answer.plan, id=ids[0], handle=handles[0], created=timestamp(moment))
    return replace(
        answer,
        plan=identity,
        answer=None if rank is None else candidates[max(rank - 1, 0)],
        candidates=candidates[len(alone) :],
    ), rank


def add(connection: Connection, answer: Answer, rank: int | None, **inputs: str) -> None:
    """Write an identified answer; `inputs` are the columns provenance, workload and model."""
    plan = answer.plan.id
    columns = convert.from_answer(answer, rank=rank)
    connection.execute(insert(PLAN).values(**columns, **inputs, note="", tags="[]", archived=0))
    rows = _candidate_rows(answer, rank)
    while batch := list(islice(rows, BATCH)):
        connection.execute(insert(CANDIDATE), batch)
    if excluded := convert.from_excluded(answer.excluded, plan=plan):
        connection.execute(insert(EXCLUDED), excluded)


def read(connection: Connection, plan: str) -> Answer:
    """Return the whole answer of the plan with this id."""
    row = connection.execute(select(PLAN).where(PLAN.c.id == plan)).mappings().one()
    columns = (CANDIDATE.c.id, CANDIDATE.c.handle, CANDIDATE.c.rank, CANDIDATE.c.body)
    candidates = select(*columns).where(CANDIDATE.c.plan == plan).order_by(CANDIDATE.c.rank)
    excluded = select(EXCLUDED).where(EXCLUDED.c.plan == plan).order_by(EXCLUDED.c.position)
    return convert.to_answer(dict(row), _mappings(connection, candidates), _mappings(connection, excluded))


def rows(connection: Connection, conditions: Collection[Condition], *, limit: int, offset: int) -> tuple[PlanRow, ...]:
    """Return a page of the plans that meet all conditions, newest first."""
    columns = [PLAN.c[name] for name in convert.PLAN_ROW_COLUMNS]
    query = select(*columns).where(*conditions).order_by(PLAN.c.id.desc()).limit(limit).offset(offset)
    return tuple(map(convert.to_plan_row, _mappings(connection, query)))


def count(connection: Connection, conditions: Collection[Condition]) -> int:
    """Return how many plans meet all conditions."""
    return connection.scalar(select(func.count()).select_from(PLAN).where(*conditions)) or 0


def candidates(connection: Connection, plan: str, *, order: str, limit: int, offset: int) -> tuple[Candidate, ...]:
    """Return a page of a plan's candidates; raises InputError for an order that is not in ORDERS."""
    if order not in ORDERS:
        raise InputError("candidates cannot be sorted by this", value=order, accepted=", ".join(ORDERS))
    by = (CANDIDATE.c[order].nulls_last(), CANDIDATE.c.rank)
    # The page is chosen by id first: a sort that carries every body along is ten times slower.
    page = select(CANDIDATE.c.id).where(CANDIDATE.c.plan == plan).order_by(*by).limit(limit).offset(offset)
    query = select(CANDIDATE.c.id, CANDIDATE.c.handle, CANDIDATE.c.body).where(CANDIDATE.c.id.in_(page)).order_by(*by)
    return tuple(map(convert.to_candidate, _mappings(connection, query)))


def count_candidates(connection: Connection, plan: str) -> int:
    """Return how many candidates the plan with this id holds."""
    return connection.scalar(select(func.count()).select_from(CANDIDATE).where(CANDIDATE.c.plan == plan)) or 0


def candidate(connection: Connection, identifier: str) -> Candidate:
    """Return the candidate with this id."""
    query = select(CANDIDATE.c.id, CANDIDATE.c.handle, CANDIDATE.c.body).where(CANDIDATE.c.id == identifier)
    return convert.to_candidate(dict(connection.execute(query).mappings().one()))


def column(connection: Connection, plan: str, name: str) -> str:
    """Return one text column of the plan with this id."""
    return str(connection.scalars(select(PLAN.c[name]).where(PLAN.c.id == plan)).one())


def _candidate_rows(answer: Answer, rank: int | None) -> Iterator[dict[str, Any]]:
    if answer.answer is not None and rank == 0:
        yield convert.from_candidate(answer.answer, plan=answer.plan.id, rank=0)
    for position, one in enumerate(answer.candidates, start=1):
        yield convert.from_candidate(one, plan=answer.plan.id, rank=position)


def _taken(connection: Connection, handles: Collection[str]) -> set[str]:
    """Return those of `handles` that a plan or a candidate bears: the two nouns share one space."""
    wanted, found = sorted(handles), set[str]()
    for start in range(0, len(wanted), BATCH):
        for table in (PLAN, CANDIDATE):
            query = select(table.c.handle).where(table.c.handle.in_(wanted[start : start + BATCH]))
            found.update(connection.scalars(query))
    return found


def _mappings(connection: Connection, query: Any) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(query).mappings()]
