"""Candidates: a plan's fleets, in the one order in which they are told, each with its newest evidence."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Select, func, select, update

from fleettui.domain.plan import Candidate
from fleettui.errors import InputError
from store import convert, handles, paging
from store.insertion import BATCH, Insertion, indexed_later
from store.parts import NewParts, filled
from store.plan_row import LATENCIES
from store.tables import CANDIDATE, PLAN, VERIFICATION

RANKING = (
    paging.Key(by=CANDIDATE.c.feasible, descending=True),
    *paging.rising(CANDIDATE.c.cost_per_hour, CANDIDATE.c.gpus, CANDIDATE.c.rank),
)
"""The order of rank: fleets that break no limit first, then by cost, as far as it is told apart, and by GPUs."""

ORDERS: dict[str, paging.Order] = {
    "rank": RANKING,
    "cost_per_hour": paging.rising(CANDIDATE.c.cost_per_hour, CANDIDATE.c.rank),
    "gpus": paging.rising(CANDIDATE.c.gpus, CANDIDATE.c.rank),
    **{
        name: (*paging.undefined_last(CANDIDATE.c[name]), *paging.rising(CANDIDATE.c.rank))
        for name in ("power", *LATENCIES)
    },
}
"""What candidates may be sorted by; undefined comes last, and ties go as the search told them."""

EVIDENCE = (
    select(VERIFICATION.c.body)
    .where(VERIFICATION.c.candidate == CANDIDATE.c.id)
    .order_by(VERIFICATION.c.id.desc())
    .limit(1)
    .scalar_subquery()
    .label("evidence")
)
SPAN = (
    select(func.json_extract(PLAN.c.body, "$.confidence.span"))
    .where(PLAN.c.id == CANDIDATE.c.plan, PLAN.c.answer_rank == CANDIDATE.c.rank)
    .scalar_subquery()
    .label("span")
)
"""Of a plan's answer the GPUs at both ends of the error by what its simulations showed, as JSON."""
COLUMNS = (CANDIDATE.c.id, CANDIDATE.c.handle, CANDIDATE.c.plan, CANDIDATE.c.rank, CANDIDATE.c.body)
WHOLE = select(*COLUMNS, EVIDENCE, SPAN)
_insert = Insertion(CANDIDATE)


def write(connection: Connection, plan: str, ranked: Collection[tuple[int, Candidate]]) -> None:
    """Write candidates that bear ids and handles, each with its rank in the plan."""
    parts, waiting = NewParts(connection, plan), iter(ranked)
    with indexed_later(connection, CANDIDATE, len(ranked)):
        while some := tuple(islice(waiting, BATCH)):
            _insert(
                connection,
                [convert.from_candidate(one, plan=plan, rank=rank, body=parts.body(one)) for rank, one in some],
            )
            parts.write()


def add(connection: Connection, plan: str, candidate: Candidate, *, moment: datetime, randomness: int) -> Candidate:
    """Write one more candidate of an unfinished plan and return it as stored; a fleet that it has stays as it is."""
    if known := _with_fleet(connection, plan, candidate):
        return known
    finished = connection.scalars(select(PLAN.c.finished).where(PLAN.c.id == plan)).one()
    assert not finished, f"plan {plan} is finished and takes no further candidate"
    ((identifier, handle),) = handles.ids_and_handles(connection, 1, moment=moment, randomness=randomness)
    highest = connection.scalar(select(func.max(CANDIDATE.c.rank)).where(CANDIDATE.c.plan == plan)) or 0
    write(connection, plan, [(highest + 1, replace(candidate, candidate=identifier, handle=handle))])
    connection.execute(update(PLAN).where(PLAN.c.id == plan).values(candidates=PLAN.c.candidates + 1))
    return read(connection, identifier)


def _with_fleet(connection: Connection, plan: str, candidate: Candidate) -> Candidate | None:
    fleet = candidate.fleet
    alike = WHOLE.where(
        CANDIDATE.c.plan == plan,
        CANDIDATE.c.gpus == candidate.gpus,
        CANDIDATE.c.topology == convert.describe_topology(fleet),
    )
    known = map(convert.to_candidate, _whole(connection, plan, alike))
    return next((one for one in known if one.fleet == fleet), None)


def read(connection: Connection, identifier: str) -> Candidate:
    """Return the candidate with this id."""
    query = WHOLE.where(CANDIDATE.c.id == identifier)
    return next(map(convert.to_candidate, _whole(connection, plan_of(connection, identifier), query)))


def of_rank(connection: Connection, plan: str, rank: int) -> Candidate:
    """Return the candidate of a plan that has this rank."""
    query = WHOLE.where(CANDIDATE.c.plan == plan, CANDIDATE.c.rank == rank)
    return next(map(convert.to_candidate, _whole(connection, plan, query)))


def rows(connection: Connection, plan: str, most: int | None = None) -> Iterable[convert.Row]:
    """Return the rows of a plan's candidates in the order of rank, as `convert.to_answer` takes them.

    Where `most` is given there are no more of them.
    """
    total = count(connection, plan)
    query = _page(WHOLE, plan, "rank", total=total, limit=total if most is None else most, offset=0, reverse=False)
    return _whole(connection, plan, query)


def in_order(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return a plan's candidates, which the search told in this order, in the order of rank."""

    def ranking(one: Candidate) -> tuple[bool, float, int]:
        return bool(one.shortfalls), convert.cost_told_apart(one), one.gpus

    return tuple(sorted(candidates, key=ranking))


def page(
    connection: Connection, plan: str, *, order: str, reverse: bool, limit: int, offset: int
) -> tuple[Candidate, ...]:
    """Return a page of a plan's candidates; raises InputError for an order that is not in ORDERS."""
    if order not in ORDERS:
        raise InputError("candidates cannot be sorted by this", value=order, accepted=", ".join(ORDERS))
    query = _page(WHOLE, plan, order, total=count(connection, plan), limit=limit, offset=offset, reverse=reverse)
    return tuple(map(convert.to_candidate, _whole(connection, plan, query)))


def _whole(connection: Connection, plan: str, query: Select[Any]) -> Iterator[convert.Row]:
    """Yield the rows of a plan's candidates with whole bodies."""
    return filled(connection, plan, connection.execute(query).mappings().all())


def _page(
    whole: Select[Any], plan: str, order: str, *, total: int, limit: int, offset: int, reverse: bool
) -> Select[Any]:
    return paging.page_of_group(
        whole,
        CANDIDATE,
        CANDIDATE.c.plan,
        plan,
        ORDERS[order],
        total=total,
        limit=limit,
        offset=offset,
        reverse=reverse,
    )


def count(connection: Connection, plan: str) -> int:
    """Return how many candidates the plan with this id holds."""
    return int(connection.scalars(select(PLAN.c.candidates).where(PLAN.c.id == plan)).one())


def plan_of(connection: Connection, identifier: str) -> str:
    """Return the id of the plan of the candidate with this id."""
    return str(connection.scalars(select(CANDIDATE.c.plan).where(CANDIDATE.c.id == identifier)).one())
