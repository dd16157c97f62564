"""The orders in which a plan's candidates are told: their ranks in each, as numbers of 4 bytes, one row an order.

A page is a slice of one. SQLite's indexes would take as long to make as all else of a plan of a million candidates.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence

from sqlalchemy import Connection, insert, update

from fleettui.errors import InputError
from store.candidate_blocks import Block
from store.checksum import checksum
from store.plan_row import LATENCIES
from store.tables import CANDIDATE_ORDER

ORDERS: dict[str, tuple[str, ...]] = {
    "rank": ("short", "cost_per_hour", "gpus"),
    **{name: (name,) for name in ("cost_per_hour", "gpus", "power", *LATENCIES)},
}
"""What candidates may be sorted by, as `Block.sorted_by` names it; undefined comes last, ties go as the search told.

That of rank is: fleets that break no limit first, then by cost, as far as it is told apart, and by GPUs.
"""
_ORDER = "SELECT body FROM candidate_order WHERE plan = ? AND name = ?"
Columns = Mapping[str, Sequence[float]]


def place(connection: Connection, plan: str, blocks: Iterable[Block], block_of: Callable[[int], Block]) -> None:
    """Give candidates their places, whose ranks are above all others of their plan; `block_of` gives those others."""
    columns: dict[str, array[float]] = {}
    ranks = list[int]()
    for block in blocks:
        ranks += block.ranks
        for name, values in block.sorted_by.items():
            columns.setdefault(name, array("d")).extend(array("d", values))
    for name in ORDERS:
        known = _read(connection, plan, name)
        if known:
            _insert(known, name, ranks, columns, block_of)
            changed = {"body": packed(known), "checksum": checksum(packed(known))}
            own = (CANDIDATE_ORDER.c.plan == plan, CANDIDATE_ORDER.c.name == name)
            connection.execute(update(CANDIDATE_ORDER).where(*own).values(**changed))
        else:
            write(connection, plan, name, [*map(ranks.__getitem__, in_order(name, columns))])


def in_order(name: str, columns: Columns) -> list[int]:
    """Return the places of candidates, counted from 0, in an order of ORDERS."""
    own = [columns[key] for key in ORDERS[name]]
    keys = own[0] if len(own) == 1 else [*zip(*own, strict=True)]
    return sorted(range(len(keys)), key=keys.__getitem__)


def _insert(
    known: array[int], name: str, ranks: Sequence[int], columns: Columns, block_of: Callable[[int], Block]
) -> None:
    """Put the ranks of new candidates, with these columns, into an order that is known."""
    own = {rank: tuple(columns[key][number] for key in ORDERS[name]) for number, rank in enumerate(ranks)}

    def key(rank: int) -> tuple[float, ...]:
        return own.get(rank) or _key(name, block_of(rank), rank)

    for rank in ranks:
        known.insert(bisect_right(known, own[rank], key=key), rank)


def _key(name: str, block: Block, rank: int) -> tuple[float, ...]:
    return tuple(block.sorted_by[key][rank - block.first] for key in ORDERS[name])


def equal(connection: Connection, plan: str, name: str, value: float, block_of: Callable[[int], Block]) -> list[int]:
    """Return the ranks of the candidates of which an order of one key has this value."""

    def key(rank: int) -> float:
        return _key(name, block_of(rank), rank)[0]

    known = _read(connection, plan, name)
    return [*known[bisect_left(known, value, key=key) : bisect_right(known, value, key=key)]]


def page(connection: Connection, plan: str, name: str, *, reverse: bool, limit: int, offset: int) -> list[int]:
    """Return the ranks of a page of a plan's candidates; raises InputError for an order that is not in ORDERS."""
    if name not in ORDERS:
        raise InputError("candidates cannot be sorted by this", value=name, accepted=", ".join(ORDERS))
    known = _read(connection, plan, name)
    start, stop = offset, min(offset + limit, len(known))
    if not reverse:
        return [*known[start:stop]]
    return [*reversed(known[len(known) - stop : max(len(known) - start, 0)])]


def write(connection: Connection, plan: str, name: str, ranks: Sequence[int]) -> None:
    """Write an order."""
    body = packed(array("I", ranks))
    connection.execute(insert(CANDIDATE_ORDER).values(plan=plan, name=name, body=body, checksum=checksum(body)))


def _read(connection: Connection, plan: str, name: str) -> array[int]:
    """Return the ranks of an order, none where the plan has no candidate."""
    ranks = array("I")
    ranks.frombytes(connection.exec_driver_sql(_ORDER, (plan, name)).scalar() or b"")
    return _little_endian(ranks)


def packed(ranks: array[int]) -> bytes:
    """Return ranks as the file has them."""
    return _little_endian(ranks[:]).tobytes()


def _little_endian(ranks: array[int]) -> array[int]:
    """Return numbers as the file has them, or back: it is the same on every machine."""
    if sys.byteorder == "big":
        ranks.byteswap()
    return ranks
