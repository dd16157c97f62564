"""Candidates as schemas before 0008 kept them, a row each with its figures as JSON: turned into blocks and parts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from sqlalchemy import INTEGER, REAL, TEXT, Column, MetaData, Table

from store.candidate_blocks import FLEET, PARTS, SIZE, WORST, Block, unreadable
from store.plan_row import LATENCIES

OLD_CANDIDATE = Table(
    "candidate",
    MetaData(),
    Column("id", TEXT, primary_key=True),
    *(Column(name, TEXT, nullable=False) for name in ("handle", "plan")),
    Column("rank", INTEGER, nullable=False),
    Column("cost_per_hour", REAL, nullable=False),
    Column("gpus", INTEGER, nullable=False),
    *(Column(name, REAL) for name in ("power", *LATENCIES)),
    Column("feasible", INTEGER, nullable=False),
    *(Column(name, TEXT, nullable=False) for name in ("topology", "body")),
    Column("checksum", INTEGER, nullable=False),
)
"""The table as bundles of those schemas have it."""
LEFT = ("id", "plan", "rank")
"""Its columns that still are a candidate's own."""


@dataclass(frozen=True, slots=True)
class Raised:
    """A block of a plan's candidates, its body, and the parts that their rows held whole, by number."""

    block: Block
    body: str
    parts: Mapping[int, str]


def raised(rows: Iterable[Mapping[str, Any]], next_part: int) -> Iterator[Raised]:
    """Yield the blocks of a plan's candidates, given their rows by rank; parts are numbered from `next_part` on.

    Raises UnreadableError for a body that does not read.
    """
    numbers, known, new = count(next_part), dict[str, int](), dict[int, str]()
    first, block = 0, dict[str, list[Any]]()

    def number_of(part: Any) -> int:
        text = _text(part)
        if text not in known:
            known[text] = next(numbers)
            new[known[text]] = text
        return known[text]

    for row in rows:
        values = _values(row, number_of)
        held = len(block.get(PARTS, ()))
        if held and (held == SIZE or row["rank"] != first + held or set(values) != set(block)):
            yield Raised(Block(first, block), _text(block), dict(new))
            block, held = {}, 0
            new.clear()
        if not held:
            first = row["rank"]
        for name, value in values.items():
            block.setdefault(name, []).append(value)
    if block:
        yield Raised(Block(first, block), _text(block), dict(new))


def _values(row: Mapping[str, Any], number_of: Any) -> dict[str, Any]:
    """Return what a block has in its columns of a row."""
    try:
        own: dict[str, Any] = json.loads(row["body"])
        fleet = own.pop("fleet")
        if PARTS in own:
            numbers = own.pop(PARTS)
        else:
            numbers = [[number_of(one) for one in part.pop("pools")] for part in (fleet, own)]
        values = own | {FLEET + name: value for name, value in fleet.items()}
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise unreadable("does not read") from error
    return values | {PARTS: numbers} | {WORST + name: row[name] for name in LATENCIES}


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
