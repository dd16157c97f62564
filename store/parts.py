"""Parts of candidates: pools and their figures, which many fleets of a plan share, each written once, with a number."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from itertools import chain, groupby, islice, repeat, zip_longest
from typing import Any

from sqlalchemy import Connection, func, select

from fleettui.domain import serialization
from fleettui.domain.fleet import Pool
from fleettui.domain.plan import PoolFigures
from store.checksum import checksum
from store.insertion import Insertion
from store.plan_row import LATENCIES
from store.tables import PART

REMEMBERED = 50_000
"""Parts that are remembered to be told apart; of a plan with more some are written again."""
NO_PART = 0
"""The number of no part."""
_insert = Insertion(PART)
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
        self._latencies = {latency: {NO_PART: -math.inf} for latency in LATENCIES}
        self._waiting = list[dict[str, Any]]()

    def numbers(
        self, pools: Sequence[Sequence[Pool]], figures: Sequence[Sequence[PoolFigures]]
    ) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
        """Return the numbers of the parts of candidates: of each one's pools, and of each one's figures."""
        return self._numbers(Pool, pools), self._numbers(PoolFigures, figures)

    def worst(self, figures: Sequence[Sequence[int]]) -> list[Sequence[float]]:
        """Return each latency's longest over the pools of candidates in seconds, given the numbers of their figures.

        It is not finite where one is undefined, or there is no pool.
        """
        none = (-math.inf,) * len(figures)
        by_pool = [*zip_longest(*figures, fillvalue=NO_PART)] or [(NO_PART,) * len(figures)]
        return [
            [*map(max, none, *(map(known.__getitem__, one) for one in by_pool))] for known in self._latencies.values()
        ]

    def write(self) -> None:
        """Write the parts that are new since the last time."""
        _insert(self._connection, self._waiting)
        self._waiting.clear()
        if len(self._held) > REMEMBERED:
            self._forget()

    def _forget(self) -> None:
        for one in (self._of_objects, self._held, self._of_texts):
            one.clear()
        for known in self._latencies.values():
            known.clear()
            known[NO_PART] = -math.inf

    def _numbers(self, kind: type[Any], groups: Sequence[Sequence[object]]) -> list[tuple[int, ...]]:
        """Return the numbers of the parts of each group."""
        found = [*map(id, chain.from_iterable(groups))]
        numbers = [*map(self._of_objects.get, found)]
        if None in numbers:
            for one, part in dict(zip(found, chain.from_iterable(groups), strict=True)).items():
                if one not in self._of_objects:
                    self._number(kind, part)
            numbers = [*map(self._of_objects.get, found)]
        known, told = iter(numbers), list[tuple[int, ...]]()
        for length, alike in groupby(map(len, groups)):
            told += islice(zip(*[known] * length, strict=False) if length else repeat(()), len([*alike]))
        return told

    def _number(self, kind: type[Any], part: object) -> None:
        """Give a part its number; one that is the same object, or has the same text, is written once."""
        body = serialization.encode(kind, part)
        number = self._of_texts.setdefault(body, self._next)
        if number == self._next:
            self._waiting.append(row(self._plan, number, body))
            self._next += 1
        self._of_objects[id(part)] = number
        self._held.append(part)  # so that no other object has its id
        if isinstance(part, PoolFigures):
            for latency, known in self._latencies.items():
                value = getattr(part, latency)
                known[number] = value if math.isfinite(value) else math.inf


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
