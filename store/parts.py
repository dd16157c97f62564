"""Parts of candidates: pools and their figures, which many fleets of a plan share, each written once, with a number."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import zip_longest
from typing import Any, cast

from sqlalchemy import Connection, func, select

from fleettui.domain import serialization
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
        self._held: list[object] = [None]
        self._of_objects = {id(None): NO_PART}
        self._of_texts = dict[str, int]()
        self._latencies = {latency: [-math.inf] * self._next for latency in LATENCIES}
        self._waiting = list[dict[str, Any]]()

    def numbers(self, kind: type[Any], groups: Sequence[Sequence[object]]) -> list[list[int]]:
        """Return the numbers of the parts of candidates, of each one's first, each one's second, and so on.

        One that has no more parts has NO_PART there.
        """
        columns = [*zip_longest(*groups)]
        numbers = [[*map(self._of_objects.get, map(id, column))] for column in columns]
        lacking = [place for place, column in enumerate(numbers) if None in column]
        for row in range(len(groups)) if lacking else ():
            for place in lacking:
                if numbers[place][row] is None:
                    numbers[place][row] = self._number(kind, columns[place][row])
        return cast(list[list[int]], numbers)

    def worst(self, figures: Sequence[Sequence[int]], count: int) -> list[Sequence[float]]:
        """Return each latency's longest over the pools of `count` candidates, given the `numbers` of their figures.

        In seconds; it is not finite where one is undefined, or there is no pool.
        """
        by_pool = figures or [[NO_PART] * count]
        return [
            reduce(_longer, [[*map(known.__getitem__, column)] for column in by_pool])
            for known in self._latencies.values()
        ]

    def write(self) -> None:
        """Write the parts that are new since the last time."""
        _insert(self._connection, self._waiting)
        self._waiting.clear()
        if len(self._held) > REMEMBERED:
            self._forget()

    def _forget(self) -> None:
        self._held, self._of_objects = [None], {id(None): NO_PART}
        self._of_texts.clear()

    def _number(self, kind: type[Any], part: object) -> int:
        """Return the number of a part; one that is the same object, or has the same text, is written once."""
        if id(part) in self._of_objects:
            return self._of_objects[id(part)]
        body = serialization.encode(kind, part)
        number = self._of_texts.setdefault(body, self._next)
        if number == self._next:
            self._waiting.append(row(self._plan, number, body))
            self._next += 1
            for latency, known in self._latencies.items():
                value = getattr(part, latency, -math.inf)  # a pool has none
                known.append(value if value == -math.inf or math.isfinite(value) else math.inf)
        self._of_objects[id(part)] = number
        self._held.append(part)  # so that no other object has its id
        return number


def grouped(columns: Sequence[Sequence[int]], count: int) -> list[tuple[int, ...]]:
    """Return the numbers of the parts of each of `count` candidates, given its `NewParts.numbers`."""
    if not columns:
        return [()] * count
    groups = zip(*columns, strict=True)
    return [tuple(filter(None, one)) for one in groups] if NO_PART in columns[-1] else [*groups]


def _longer(one: Sequence[float], other: Sequence[float]) -> Sequence[float]:
    return [*map(max, one, other)]


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
