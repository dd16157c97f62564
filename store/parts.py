"""Parts of candidates: pools and their figures, which many fleets of a plan share, each written once.

A candidate's body has the numbers of its parts under PARTS, first those of its fleet's pools and then those of their
figures, in place of what they hold. Bodies from before schema 0006 hold them whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, func, select

from fleettui.domain import serialization
from fleettui.domain.fleet import Pool
from fleettui.domain.plan import Candidate, PoolFigures
from fleettui.errors import UnreadableError
from store.checksum import checksum
from store.insertion import Insertion
from store.tables import PART

Row = Mapping[Any, Any]
PARTS, END = '{"parts":', "]],"
"""What the body of a candidate begins with whose parts stand apart, and what their numbers end with."""
FLEET = '"fleet":{'
"""Where a fleet begins in a body: within a text a quotation mark would bear a backslash."""
APART: Mapping[str, Any] = {"candidate": True, "handle": True, "pools": True, "fleet": {"pools": True}}
"""What of a candidate is not in its body: what has columns of its own, and its parts."""
REMEMBERED = 50_000
"""Parts that are remembered to be told apart; of a plan with more some are written again."""

_insert = Insertion(PART)


class NewParts:
    """The parts of candidates of one plan that are about to be written."""

    def __init__(self, connection: Connection, plan: str) -> None:
        self._connection, self._plan = connection, plan
        self._next = (connection.scalar(select(func.max(PART.c.number)).where(PART.c.plan == plan)) or 0) + 1
        self._seen = dict[int, tuple[object, int]]()
        self._numbers = dict[str, int]()
        self._waiting = list[dict[str, Any]]()

    def body(self, candidate: Candidate) -> str:
        """Return the body of a candidate, its parts by their numbers."""
        pools = [str(self._number(Pool, one)) for one in candidate.fleet.pools]
        figures = [str(self._number(PoolFigures, one)) for one in candidate.pools]
        rest = serialization.encode(Candidate, candidate, without=APART)
        return f"{PARTS}[[{','.join(pools)}],[{','.join(figures)}{END}{rest[1:]}"

    def write(self) -> None:
        """Write the parts that are new since the last time."""
        _insert(self._connection, self._waiting)
        self._waiting.clear()
        if len(self._seen) > REMEMBERED or len(self._numbers) > REMEMBERED:
            self._seen.clear()
            self._numbers.clear()

    def _number(self, kind: type[Any], part: object) -> int:
        """Return the number of a part; one that is the same object, or has the same text, is written once."""
        known = self._seen.get(id(part))
        if known is not None:
            return known[1]
        body = serialization.encode(kind, part)
        number = self._numbers.setdefault(body, self._next)
        if number == self._next:
            self._waiting.append({"plan": self._plan, "number": number, "body": body, "checksum": checksum(body)})
            self._next += 1
        self._seen[id(part)] = (part, number)  # the object is held, so that no other has its id
        return number


def filled(connection: Connection, plan: str, rows: Sequence[Row]) -> Iterator[dict[Any, Any]]:
    """Yield rows of a plan's candidates with whole bodies; raises UnreadableError where a part is not there."""
    wanted = {number for row in rows for group in _numbers(row["body"]) for number in group}
    parts = _read(connection, plan, wanted) if wanted else {}
    for row in rows:
        yield dict(row) | {"body": _whole(row["body"], parts)}


def _read(connection: Connection, plan: str, wanted: Iterable[int]) -> dict[int, str]:
    numbers = func.json_each(json.dumps(sorted(wanted))).table_valued("value")
    query = select(PART.c.number, PART.c.body).where(PART.c.plan == plan, PART.c.number.in_(select(numbers.c.value)))
    return {row.number: row.body for row in connection.execute(query)}


def _numbers(body: str) -> list[list[int]]:
    """Return the numbers of a body's parts; none where it holds them whole."""
    if not body.startswith(PARTS):
        return []
    try:
        pools, figures = json.loads(body[len(PARTS) : body.index(END) + len(END) - 1])
        return [[int(one) for one in group] for group in (pools, figures)]
    except (ValueError, TypeError) as error:
        raise _unreadable("does not say which parts it has") from error


def _whole(body: str, parts: Mapping[int, str]) -> str:
    numbers = _numbers(body)
    if not numbers:
        return body
    try:
        pools, figures = (",".join(parts[number] for number in group) for group in numbers)
    except KeyError as error:
        raise _unreadable(f"lacks its part {error}") from error
    rest = body[body.index(END) + len(END) :]
    return f'{{"pools":[{figures}],{rest.replace(FLEET, f"""{FLEET}"pools":[{pools}],""", 1)}'


def _unreadable(what: str) -> UnreadableError:
    return UnreadableError(
        f"a stored candidate {what}\n  do: run fleettui doctor --repair, and restore a backup of the store"
    )
