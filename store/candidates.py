"""Candidates: a plan's fleets, in the one order in which they are told, each with its newest evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import islice

from sqlalchemy import Connection, func, insert, select

from fleettui.domain.plan import Candidate
from fleettui.errors import InputError
from store import convert, naming
from store.tables import CANDIDATE, PLAN, VERIFICATION

BATCH = 5_000
"""Rows that go to SQLite at a time."""

ORDERS = ("rank", "cost_per_hour", "gpus", "power", "ttft", "tpot", "e2e")
"""What candidates may be sorted by; undefined comes last and ties go by rank."""

RANKING = (CANDIDATE.c.feasible.desc(), func.round(CANDIDATE.c.cost_per_hour, 9), CANDIDATE.c.gpus, CANDIDATE.c.rank)
"""The order of rank: fleets that break no limit first, then by cost, as far as it is told apart, and by GPUs."""

EVIDENCE = (
    select(VERIFICATION.c.body)
    .where(VERIFICATION.c.candidate == CANDIDATE.c.id)
    .order_by(VERIFICATION.c.id.desc())
    .limit(1)
    .scalar_subquery()
    .label("evidence")
)
WHOLE = select(CANDIDATE.c.id, CANDIDATE.c.handle, CANDIDATE.c.rank, CANDIDATE.c.body, EVIDENCE)


def write(connection: Connection, plan: str, ranked: Iterable[tuple[int, Candidate]]) -> None:
    """Write candidates that bear ids and handles, each with its rank in the plan."""
    rows = (convert.from_candidate(candidate, plan=plan, rank=rank) for rank, candidate in ranked)
    while batch := list(islice(rows, BATCH)):
        connection.execute(insert(CANDIDATE), batch)


def add(connection: Connection, plan: str, candidate: Candidate, *, moment: datetime, randomness: int) -> Candidate:
    """Write one more candidate of an unfinished plan and return it as stored; a fleet that it has stays as it is."""
    if known := _with_fleet(connection, plan, candidate):
        return known
    finished = connection.scalars(select(PLAN.c.finished).where(PLAN.c.id == plan)).one()
    assert not finished, f"plan {plan} is finished and takes no further candidate"
    ((identifier, handle),) = naming.ids_and_handles(connection, 1, moment=moment, randomness=randomness)
    highest = connection.scalar(select(func.max(CANDIDATE.c.rank)).where(CANDIDATE.c.plan == plan)) or 0
    write(connection, plan, [(highest + 1, replace(candidate, candidate=identifier, handle=handle))])
    return read(connection, identifier)


def _with_fleet(connection: Connection, plan: str, candidate: Candidate) -> Candidate | None:
    fleet = candidate.fleet
    alike = WHOLE.where(
        CANDIDATE.c.plan == plan,
        CANDIDATE.c.gpus == candidate.gpus,
        CANDIDATE.c.topology == convert.describe_topology(fleet),
    )
    known = map(convert.to_candidate, connection.execute(alike).mappings().all())
    return next((one for one in known if one.fleet == fleet), None)


def read(connection: Connection, identifier: str) -> Candidate:
    """Return the candidate with this id."""
    return convert.to_candidate(connection.execute(WHOLE.where(CANDIDATE.c.id == identifier)).mappings().one())


def rows(connection: Connection, plan: str) -> Iterable[convert.Row]:
    """Return the rows of a plan's candidates in the order of rank, as `convert.to_answer` takes them."""
    return connection.execute(WHOLE.where(CANDIDATE.c.plan == plan).order_by(*RANKING)).mappings()


def in_order(connection: Connection, plan: str, candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return candidates of a plan, which are stored by now, in the order of rank."""
    query = select(CANDIDATE.c.id).where(CANDIDATE.c.plan == plan).order_by(*RANKING)
    places = {identifier: place for place, identifier in enumerate(connection.scalars(query))}
    return tuple(sorted(candidates, key=lambda one: places[one.candidate]))


def page(connection: Connection, plan: str, *, order: str, limit: int, offset: int) -> tuple[Candidate, ...]:
    """Return a page of a plan's candidates; raises InputError for an order that is not in ORDERS."""
    if order not in ORDERS:
        raise InputError("candidates cannot be sorted by this", value=order, accepted=", ".join(ORDERS))
    by = RANKING if order == "rank" else (CANDIDATE.c[order].nulls_last(), *RANKING)
    # The page is chosen by id first: a sort that carries every body along is ten times slower.
    chosen = select(CANDIDATE.c.id).where(CANDIDATE.c.plan == plan).order_by(*by).limit(limit).offset(offset)
    query = WHOLE.where(CANDIDATE.c.id.in_(chosen)).order_by(*by)
    return tuple(map(convert.to_candidate, connection.execute(query).mappings()))


def count(connection: Connection, plan: str) -> int:
    """Return how many candidates the plan with this id holds."""
    return connection.scalar(select(func.count()).select_from(CANDIDATE).where(CANDIDATE.c.plan == plan)) or 0


def plan_of(connection: Connection, identifier: str) -> str:
    """Return the id of the plan of the candidate with this id."""
    return str(connection.scalars(select(CANDIDATE.c.plan).where(CANDIDATE.c.id == identifier)).one())
