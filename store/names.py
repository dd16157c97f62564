"""Names of candidates: each of the first of a plan has a row, which gives it a name of its own.

Each further one has the id that stands as far behind its plan's as its rank says, and is called by its plan's handle
and its rank, as in `41a7.10001`. It takes a row, with that id and a handle of its own, once something refers to it. So
a plan of a million candidates is written in half the time, and any candidate is called by its plan and rank.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from store import handles
from store.candidate_blocks import unreadable
from store.identity import id_after, ids_between, new_handles
from store.insertion import Insertion
from store.tables import CANDIDATE, CANDIDATE_BLOCK, PLAN

NAMED = 10_000
"""Candidates of a plan that have rows from the first on."""
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_BY_RANK = re.compile(r"(@?[0-9a-f]{4,64})\.([0-9]{1,9})")
_insert = Insertion(CANDIDATE)
_ROW = "SELECT plan, rank FROM candidate WHERE id = ?"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a candidate stands: its id, that of its plan, its rank, and whether it has a row."""

    candidate: str
    plan: str
    rank: int
    named: bool


def write(connection: Connection, plan: str, first: int, named: Iterable[tuple[str, str]]) -> None:
    """Write the rows of candidates with these ids and handles, whose ranks follow each other from `first` on."""
    _insert(
        connection,
        (
            {"id": one, "handle": handle, "plan": plan, "rank": rank}
            for rank, (one, handle) in enumerate(named, start=first)
        ),
    )


def implied_id(plan: str, rank: int) -> str:
    """Return the id of a candidate that has no row."""
    return id_after(plan, rank + 1)


def of_ranks(connection: Connection, plan: str, wanted: Collection[int]) -> dict[int, tuple[str, str]]:
    """Return by rank the ids and handles of these candidates of a plan; raises UnreadableError where a row is gone."""
    chosen = func.json_each(json.dumps([*wanted])).table_valued("value")
    query = select(CANDIDATE.c.rank, CANDIDATE.c.id, CANDIDATE.c.handle).where(
        CANDIDATE.c.plan == plan, CANDIDATE.c.rank.in_(select(chosen.c.value))
    )
    found = {rank: (identifier, handle) for rank, identifier, handle in connection.execute(query)}
    if len(found) == len(wanted):
        return found
    missing = [rank for rank in wanted if rank not in found]
    if not may_lack_rows(connection, plan, missing):
        raise unreadable("has no name")
    own = connection.scalars(select(PLAN.c.handle).where(PLAN.c.id == plan)).one()
    return found | {rank: (implied_id(plan, rank), f"{own}.{rank}") for rank in missing}


def place(connection: Connection, identifier: str) -> Place | None:
    """Return where the candidate with this id stands, None where there is none."""
    row = connection.exec_driver_sql(_ROW, (identifier,)).first()
    if row is not None:
        return Place(identifier, row[0], row[1], named=True)
    plan = connection.scalar(select(func.max(PLAN.c.id)).where(PLAN.c.id < identifier))
    ahead = ids_between(plan, identifier) if plan is not None and ID.fullmatch(identifier) else None
    if plan is None or ahead is None or not may_lack_rows(connection, plan, [ahead - 1]):
        return None
    implied = Place(identifier, plan, ahead - 1, named=False)
    return implied if of_ranks(connection, plan, [ahead - 1])[ahead - 1][0] == identifier else None


def called(connection: Connection, ref: str) -> Place | None:
    """Return where the candidate stands that `ref` means: an id, or a plan's handle, a dot and a rank."""
    if ID.fullmatch(ref):
        return place(connection, ref)
    plan, rank = by_rank(connection, ref) or (None, 0)
    if plan is None or rank not in ranks(connection, plan):
        return None
    ((identifier, _),) = of_ranks(connection, plan, [rank]).values()
    return place(connection, identifier)


def by_rank(connection: Connection, ref: str) -> tuple[str, int] | None:
    """Return the id of the plan and the rank that `ref` names, whether or not the plan has it."""
    match = _BY_RANK.fullmatch(ref)
    plan = connection.scalar(select(PLAN.c.id).where(PLAN.c.handle == match[1])) if match else None
    return None if match is None or plan is None else (plan, int(match[2]))


def keep(connection: Connection, identifier: str) -> None:
    """Give the candidate with this id a row, for what refers to it from now on; call it under the write lock.

    Where there is no such candidate nothing is done: what refers to it is refused.
    """
    found = place(connection, identifier)
    if found is None or found.named:
        return
    (handle,) = new_handles([identifier], lambda wanted: handles.taken(connection, wanted))
    write(connection, found.plan, found.rank, [(identifier, handle)])


def ranks(connection: Connection, plan: str) -> range:
    """Return the ranks of a plan's candidates."""
    first = connection.scalar(select(func.min(CANDIDATE_BLOCK.c.first)).where(CANDIDATE_BLOCK.c.plan == plan))
    count = connection.scalars(select(PLAN.c.candidates).where(PLAN.c.id == plan)).one()
    return range(0) if first is None else range(first, first + count)


def may_lack_rows(connection: Connection, plan: str, wanted: Iterable[int]) -> bool:
    """Tell whether the candidates of a plan that have these ranks may be without rows."""
    later = ranks(connection, plan)[NAMED:]
    return all(rank in later for rank in wanted)
