"""Candidates: a plan's fleets, in the orders in which they are told, each with its newest evidence."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache

from sqlalchemy import Connection, func, select, update

from fleettui.domain.plan import Candidate
from store import candidate_orders, convert, handles, names, parts
from store.candidate_blocks import Block, cut, unreadable
from store.checksum import checksum
from store.insertion import Insertion
from store.tables import CANDIDATE_BLOCK, PLAN

_SPAN = func.json_extract(PLAN.c.body, "$.confidence.span").label("span")
"""Of a plan's answer the GPUs at both ends of the error by what its simulations showed, as JSON."""
_EVIDENCE = """
    SELECT value, (SELECT body FROM verification WHERE candidate = value ORDER BY id DESC LIMIT 1) FROM json_each(?)
"""
_BLOCKS = """
    SELECT first, body FROM candidate_block WHERE plan = ?1 AND first IN (
        SELECT (SELECT max(first) FROM candidate_block WHERE plan = ?1 AND first <= value) FROM json_each(?2)
    ) ORDER BY first
"""
_insert_blocks = Insertion(CANDIDATE_BLOCK)


def write(
    connection: Connection, plan: str, first: int, candidates: Sequence[Candidate], named: Sequence[tuple[str, str]]
) -> None:
    """Write candidates with the ranks from `first` on, above all others of the plan.

    The first of them take these ids and handles; those that are left over have no row.
    """
    if not candidates:
        return
    new = parts.NewParts(connection, plan)

    def written() -> Iterator[Block]:
        for block in cut(first, candidates, new):
            put_block(connection, plan, block.first, block.text())
            new.write()
            yield block

    names.write(connection, plan, first, named)
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
    new = handles.ids_and_handles(connection, 1, moment=moment, randomness=randomness)
    write(connection, plan, max(names.ranks(connection, plan), default=0) + 1, [candidate], new)
    connection.execute(update(PLAN).where(PLAN.c.id == plan).values(candidates=PLAN.c.candidates + 1))
    return read(connection, new[0][0])


def _with_fleet(connection: Connection, plan: str, candidate: Candidate) -> Candidate | None:
    alike = candidate_orders.equal(connection, plan, "gpus", candidate.gpus, blocks_of(connection, plan))
    known = map(convert.to_candidate, _rows(connection, plan, sorted(alike)))
    return next((one for one in known if one.fleet == candidate.fleet), None)


def read(connection: Connection, identifier: str) -> Candidate:
    """Return the candidate with this id."""
    found = _found(connection, identifier)
    return of_rank(connection, found.plan, found.rank)


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
    """Yield the rows of the candidates of a plan that have these ranks, in their order, with whole bodies."""
    best, span = connection.execute(select(PLAN.c.answer_rank, _SPAN).where(PLAN.c.id == plan)).one()
    called = names.of_ranks(connection, plan, ranks)
    identifiers = json.dumps([identifier for identifier, _ in called.values()])
    evidence = {row[0]: row[1] for row in connection.exec_driver_sql(_EVIDENCE, (identifiers,))}
    held = _holding(connection, plan, ranks)
    numbers = (group for rank, block in held.items() for group in block.numbers(rank))
    known = parts.read(connection, plan, {one for group in numbers for one in group})
    for rank in ranks:
        identifier, handle = called[rank]
        yield {
            "id": identifier,
            "handle": handle,
            "rank": rank,
            "evidence": evidence[identifier],
            "span": span if rank == best else None,
            "body": held[rank].body(rank, known),
        }


def _holding(connection: Connection, plan: str, ranks: Sequence[int]) -> dict[int, Block]:
    """Return the blocks of a plan that hold these ranks."""
    found = [Block.read(*row) for row in connection.exec_driver_sql(_BLOCKS, (plan, json.dumps(ranks)))]
    firsts = [block.first for block in found]
    places = {rank: bisect_right(firsts, rank) - 1 for rank in ranks}
    if -1 in places.values():
        raise unreadable("is in no block")
    return {rank: found[place] for rank, place in places.items()}


def count(connection: Connection, plan: str) -> int:
    """Return how many candidates the plan with this id holds."""
    return int(connection.scalars(select(PLAN.c.candidates).where(PLAN.c.id == plan)).one())


def plan_of(connection: Connection, identifier: str) -> str:
    """Return the id of the plan of the candidate with this id."""
    return _found(connection, identifier).plan


def _found(connection: Connection, identifier: str) -> names.Place:
    found = names.place(connection, identifier)
    assert found is not None, f"there is no candidate {identifier}"
    return found
