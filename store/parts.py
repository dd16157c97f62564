"""Parts of candidates: pools and their figures, which many fleets of a plan share, each written once, with a number."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, func, select

from fleettui.domain import serialization
from fleettui.domain.fleet import Pool
from fleettui.domain.plan import Candidate, PoolFigures
from store.checksum import checksum
from store.insertion import Insertion
from store.plan_row import LATENCIES
from store.tables import PART

REMEMBERED = 50_000
"""Parts that are remembered to be told apart; of a plan with more some are written again."""
UNDEFINED = (math.inf,) * len(LATENCIES)
_insert = Insertion(PART)
_latencies, _groups = attrgetter(*LATENCIES), attrgetter("fleet.pools", "pools")


Numbers = tuple[Sequence[int], Sequence[int]]
"""The numbers of a candidate's parts: those of its fleet's pools, and those of their figures."""


class NewParts:
    """The parts of candidates of one plan that are about to be written."""

    def __init__(self, connection: Connection, plan: str) -> None:
        self._connection, self._plan = connection, plan
        self._next = next_number(connection, plan)
        self._of_objects = dict[int, int]()
        self._held = list[object]()
        self._of_texts = dict[str, int]()
        self._latencies = dict[int, tuple[float, ...]]()
        self._waiting = list[dict[str, Any]]()

    def numbers(self, candidates: Sequence[Candidate]) -> list[Numbers]:
        """Return the numbers of each candidate's parts."""
        groups = [*map(_groups, candidates)]
        for pools, figures in groups:
            for one in pools:
                if id(one) not in self._of_objects:
                    self._number(Pool, one)
            for seen in figures:
                if id(seen) not in self._of_objects:
                    self._figures(seen)
        number = self._of_objects.__getitem__
        return [(tuple(map(number, map(id, pools))), tuple(map(number, map(id, seen)))) for pools, seen in groups]

    def worst(self, numbers: Numbers) -> tuple[float, ...]:
        """Return the longest of each latency over the pools in seconds, infinite where one is undefined."""
        by_pool = [self._latencies[number] for number in numbers[1]]
        if len(by_pool) > 1:
            return tuple(map(max, *by_pool))
        return by_pool[0] if by_pool else UNDEFINED

    def write(self) -> None:
        """Write the parts that are new since the last time."""
        _insert(self._connection, self._waiting)
        self._waiting.clear()
        if len(self._held) > REMEMBERED:
            for one in (self._of_objects, self._held, self._of_texts, self._latencies):
                one.clear()

    def _figures(self, part: PoolFigures) -> int:
        number = self._number(PoolFigures, part)
        self._latencies[number] = tuple(one if math.isfinite(one) else math.inf for one in _latencies(part))
        return number

    def _number(self, kind: type[Any], part: object) -> int:
        """Return the number of a part; one that is the same object, or has the same text, is written once."""
        body = serialization.encode(kind, part)
        number = self._of_texts.setdefault(body, self._next)
        if number == self._next:
            self._waiting.append(row(self._plan, number, body))
            self._next += 1
        self._of_objects[id(part)] = number
        self._held.append(part)  # so that no other object has its id
        return number


def row(plan: str, number: int, body: str) -> dict[str, Any]:
    """Return the row of a part."""
    return {"plan": plan, "number": number, "body": body, "checksum": checksum(body)}


def next_number(connection: Connection, plan: str) -> int:
    """Return the number of the next part of a plan."""
    return (connection.scalar(select(func.max(PART.c.number)).where(PART.c.plan == plan)) or 0) + 1


def read(connection: Connection, plan: str, wanted: Iterable[int]) -> dict[int, str]:
    """Return the bodies of a plan's parts by number."""
    numbers = func.json_each(json.dumps(sorted(wanted))).table_valued("value")
    query = select(PART.c.number, PART.c.body).where(PART.c.plan == plan, PART.c.number.in_(select(numbers.c.value)))
    return {row.number: row.body for row in connection.execute(query)}
