"""Candidates: a plan's fleets, in the orders in which they are told, each with its newest evidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, func, select, update

from fleettui.domain.plan import Candidate
from store import candidate_orders, convert, handles, parts
from store.candidate_blocks import Block, cut, unreadable
from store.checksum import checksum
from store.insertion import Insertion, indexed_later
from store.tables import CANDIDATE, CANDIDATE_BLOCK, PLAN, VERIFICATION

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
FIRST = (
    select(func.max(CANDIDATE_BLOCK.c.first))
    .where(CANDIDATE_BLOCK.c.plan == CANDIDATE.c.plan, CANDIDATE_BLOCK.c.first <= CANDIDATE.c.rank)
    .scalar_subquery()
    .label("first")
)
"""Where the block begins that a candidate is in."""
NAMED = select(CANDIDATE.c.id, CANDIDATE.c.handle, CANDIDATE.c.plan, CANDIDATE.c.rank, EVIDENCE, SPAN, FIRST)
_BLOCKS = """
    SELECT first, body FROM candidate_block WHERE plan = ? AND first IN (SELECT value FROM json_each(?))
"""
_insert, _insert_blocks = Insertion(CANDIDATE), Insertion(CANDIDATE_BLOCK)


def write(
    connection: Connection, plan: str, first: int, candidates: Sequence[Candidate], names: Sequence[tuple[str, str]]
) -> None:
    """Write candidates with these ids and handles, and the ranks from `first` on, above all others of the plan."""
    if not candidates:
        return
    new = parts.NewParts(connection, plan)

    def written() -> Iterator[Block]:
        for block in cut(first, candidates, new):
            put_block(connection, plan, block.first, block.text())
            new.write()
            yield block

    with indexed_later(connection, CANDIDATE, len(candidates)):
        _insert.tuples(connection, ((*name, plan, rank) for rank, name in enumerate(names, start=first)))
    candidate_orders.place(connection, plan, written(), blocks_of(connection, plan))


def put_block(connection: Connection, plan: str, first: int, body: str) -> None:
    """Write a block."""
    _insert_blocks(connection, [{"plan": plan, "first": first, "body": body, "checksum": checksum(body)}])


def blocks(connection: Connection, plan: str) -> Iterator[Block]:
    """Yield the blocks of a plan by rank."""
    query = select(CANDIDATE_BLOCK.c.first, CANDIDATE_BLOCK.c.body).where(CANDIDATE_BLOCK.c.plan == plan)
    for row in connection.execute(query.order_by(CANDIDATE_BLOCK.c.first)):
        yield Block.read(row.first, row.body)


def blocks_of(connection: Connection, plan: str) -> Callable[[int], Block]:
    """Return what gives the block of a plan that holds a rank; each is read once."""

    @cache
    def beginning(first: int) -> Block:
        query = select(CANDIDATE_BLOCK.c.body).where(CANDIDATE_BLOCK.c.plan == plan, CANDIDATE_BLOCK.c.first == first)
        return Block.read(first, connection.scalars(query).one())

    @cache
    def holding(rank: int) -> Block:
        own = (CANDIDATE_BLOCK.c.plan == plan, CANDIDATE_BLOCK.c.first <= rank)
        first = connection.scalar(select(func.max(CANDIDATE_BLOCK.c.first)).where(*own))
        if first is None:
            raise unreadable("is in no block")
        return beginning(first)

    return holding


def add(connection: Connection, plan: str, candidate: Candidate, *, moment: datetime, randomness: int) -> Candidate:
    """Write one more candidate of an unfinished plan and return it as stored; a fleet that it has stays as it is."""
    if known := _with_fleet(connection, plan, candidate):
        return known
    finished = connection.scalars(select(PLAN.c.finished).where(PLAN.c.id == plan)).one()
    assert not finished, f"plan {plan} is finished and takes no further candidate"
    names = handles.ids_and_handles(connection, 1, moment=moment, randomness=randomness)
    highest = connection.scalar(select(func.max(CANDIDATE.c.rank)).where(CANDIDATE.c.plan == plan)) or 0
    write(connection, plan, highest + 1, [candidate], names)
    connection.execute(update(PLAN).where(PLAN.c.id == plan).values(candidates=PLAN.c.candidates + 1))
    return read(connection, names[0][0])


def _with_fleet(connection: Connection, plan: str, candidate: Candidate) -> Candidate | None:
    alike = candidate_orders.equal(connection, plan, "gpus", candidate.gpus, blocks_of(connection, plan))
    known = map(convert.to_candidate, _rows(connection, plan, sorted(alike)))
    return next((one for one in known if one.fleet == candidate.fleet), None)


def read(connection: Connection, identifier: str) -> Candidate:
    """Return the candidate with this id."""
    return next(map(convert.to_candidate, _whole(connection, NAMED.where(CANDIDATE.c.id == identifier))))


def of_rank(connection: Connection, plan: str, rank: int) -> Candidate:
    """Return the candidate of a plan that has this rank."""
    return next(map(convert.to_candidate, _rows(connection, plan, [rank])))


def rows(connection: Connection, plan: str, most: int | None = None) -> Iterator[convert.Row]:
    """Return the rows of a plan's candidates in the order of rank, as `convert.to_answer` takes them.

    Where `most` is given there are no more of them.
    """
    limit = count(connection, plan) if most is None else most
    ranks = candidate_orders.page(connection, plan, "rank", reverse=False, limit=limit, offset=0)
    return _rows(connection, plan, ranks)


def page(
    connection: Connection, plan: str, *, order: str, reverse: bool, limit: int, offset: int
) -> tuple[Candidate, ...]:
    """Return a page of a plan's candidates; raises InputError for an order that there is not."""
    ranks = candidate_orders.page(connection, plan, order, reverse=reverse, limit=limit, offset=offset)
    return tuple(map(convert.to_candidate, _rows(connection, plan, ranks)))


def _rows(connection: Connection, plan: str, ranks: Sequence[int]) -> Iterator[convert.Row]:
    """Return the rows of the candidates of a plan that have these ranks, in their order, with whole bodies."""
    wanted = func.json_each(json.dumps(ranks)).table_valued("value")
    query = NAMED.where(CANDIDATE.c.plan == plan, CANDIDATE.c.rank.in_(select(wanted.c.value)))
    places = {rank: place for place, rank in enumerate(ranks)}
    found = sorted(_whole(connection, query), key=lambda row: places[row["rank"]])
    if len(found) < len(ranks):
        raise unreadable("has no name")
    return iter(found)


def _whole(connection: Connection, query: Select[Any]) -> Iterator[convert.Row]:
    """Yield the rows of some candidates of one plan, as NAMED has them, with whole bodies."""
    named = connection.execute(query).mappings().all()
    if not named:
        return
    plan, firsts = named[0]["plan"], {row["first"] for row in named}
    if None in firsts:
        raise unreadable("is in no block")
    found = connection.exec_driver_sql(_BLOCKS, (plan, json.dumps([*firsts])))
    held = {first: Block.read(first, body) for first, body in found}
    numbers = [group for row in named for group in held[row["first"]].numbers(row["rank"])]
    known = parts.read(connection, plan, {one for group in numbers for one in group})
    for row in named:
        yield dict(row) | {"body": held[row["first"]].body(row["rank"], known)}


def count(connection: Connection, plan: str) -> int:
    """Return how many candidates the plan with this id holds."""
    return int(connection.scalars(select(PLAN.c.candidates).where(PLAN.c.id == plan)).one())


def plan_of(connection: Connection, identifier: str) -> str:
    """Return the id of the plan of the candidate with this id."""
    return str(connection.scalars(select(CANDIDATE.c.plan).where(CANDIDATE.c.id == identifier)).one())
