"""Blocks of candidates: up to SIZE of one plan whose ranks follow each other, by column, as one JSON text.

The text is an object of lists, each as long as the block, or of one value that holds for all of it. PARTS has the
numbers of each candidate's parts, as `store.parts` has them; what begins with WORST is the longest of a latency over
the pools in seconds, null where one is undefined; what begins with FLEET is a field of the fleet, each other one of
the candidate itself.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, cast, get_type_hints

from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.plan import Candidate, PoolFigures
from fleettui.domain.serialization import encode
from fleettui.errors import UnreadableError
from store.parts import NewParts, Numbers, grouped
from store.plan_row import LATENCIES

SIZE = 250
"""Candidates of a block: a page of 50 reads at most as many blocks, each of which takes some .2 ms."""
PARTS, FLEET, WORST = "parts", "fleet.", "worst."
COST_STEPS, COARSE = 1e9, 1e6
"""Steps of a dollar as far as costs are told apart, and the costs from which on a number has about as few itself."""
NAMES = frozenset({"candidate", "handle"})
APART = NAMES | {"fleet", "pools"}
"""What of a candidate stands in its row, has columns of its own, or stands among the parts."""

OWN = tuple(one.name for one in fields(Candidate) if one.name not in NAMES)
OF_FLEET = tuple(one.name for one in fields(Fleet))


@dataclass(frozen=True)
class Block:
    """Candidates of a plan from rank `first` on, their columns by name."""

    first: int
    columns: Mapping[str, Sequence[Any]]

    @classmethod
    def of(cls, first: int, candidates: Sequence[Candidate], parts: NewParts) -> Block:
        """Return the block of these candidates, whose parts are told to `parts`."""
        columns = _columns(candidates, OWN)
        figures, fleets = columns.pop("pools"), columns.pop("fleet")
        of_fleets = _columns(fleets, OF_FLEET)
        pools, seen = parts.numbers(Pool, of_fleets.pop("pools")), parts.numbers(PoolFigures, figures)
        held, worst = len(candidates), parts.worst(seen, len(candidates))
        columns |= {FLEET + name: column for name, column in of_fleets.items()}
        columns[PARTS] = [*zip(grouped(pools, held), grouped(seen, held), strict=True)]
        return cls(first, columns | dict(zip((WORST + one for one in LATENCIES), worst, strict=True)))

    @classmethod
    def read(cls, first: int, body: str) -> Block:
        """Return the block of a body; raises UnreadableError where it is none."""
        try:
            columns = json.loads(body)
            count = len(columns[PARTS])
            good = count > 0 and all(isinstance(one, list) and len(one) in (1, count) for one in columns.values())
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise unreadable("does not read") from error
        if not good:
            raise unreadable("does not read")
        return cls(first, columns)

    @property
    def ranks(self) -> range:
        """The ranks of its candidates."""
        return range(self.first, self.first + len(self.columns[PARTS]))

    def text(self) -> str:
        """Return its body; raises pydantic's PydanticSerializationError for a value that could not be read again."""
        kinds: dict[str, Any] = dict.fromkeys((WORST + one for one in LATENCIES), float | None)
        kinds |= _kinds() | {PARTS: tuple[tuple[int, ...], tuple[int, ...]]}
        columns = ((name, tuple(self._short(name))) for name in self.columns)
        texts = [f'"{name}":{encode(_column_of(kinds[name]), column)}' for name, column in columns]
        return f"{{{','.join(texts)}}}"

    def _short(self, name: str) -> Sequence[Any]:
        """Return a column, or its one value where all are alike; few whose last is the first's like have others."""
        column = self.columns[name]
        if name == PARTS or column[0] not in column[-1:] or column.count(column[0]) < len(column):
            return column
        return column[:1]

    def numbers(self, rank: int) -> Numbers:
        """Return the numbers of the parts of the candidate with this rank."""
        try:
            pools, figures = self.columns[PARTS][rank - self.first]
            return [int(one) for one in pools], [int(one) for one in figures]
        except (ValueError, TypeError, IndexError) as error:
            raise unreadable("does not say which parts it has") from error

    def worst(self, rank: int, latency: str) -> Any:
        """Return the longest of a latency over a candidate's pools in seconds, None where one is undefined."""
        column = self.columns.get(WORST + latency, (None,))
        return column[rank - self.first if len(column) > 1 else 0]

    def body(self, rank: int, parts: Mapping[int, str]) -> str:
        """Return the JSON of the candidate with this rank, given the bodies of its parts by number."""
        numbers, place = self.numbers(rank), rank - self.first
        try:
            pools, figures = (",".join(parts[number] for number in group) for group in numbers)
        except KeyError as error:
            raise unreadable(f"lacks its part {error}") from error
        fleet, own = (alike + _further({name: column[place] for name, column in other}) for alike, other in self._told)
        return f'{{"fleet":{{"pools":[{pools}]{fleet}}},"pools":[{figures}]{own}}}'

    @cached_property
    def _told(self) -> tuple[_Told, _Told]:
        """Return of the fleets, and of the candidates themselves, what is alike as JSON, and the other columns."""
        fleet = {name.removeprefix(FLEET): one for name, one in self.columns.items() if name.startswith(FLEET)}
        apart = (PARTS, *(WORST + one for one in LATENCIES))
        own = {name: one for name, one in self.columns.items() if not name.startswith(FLEET) and name not in apart}
        return _split(fleet, len(self.ranks)), _split(own, len(self.ranks))

    @cached_property
    def sorted_by(self) -> dict[str, Sequence[float]]:
        """Return by name what its candidates are sorted by, infinite where it is undefined; 1 where one falls short."""
        try:
            short = [1.0 if one else 0.0 for one in self._whole("shortfalls")]
            cost = _told_apart(_sortable(self._whole("cost_per_hour")))
            plain = {name: _sortable(self._whole(name)) for name in ("gpus", "power")}
            worst = {name: _sortable(self._whole(WORST + name)) for name in LATENCIES}
        except (KeyError, TypeError) as error:
            raise unreadable(f"lacks a figure, {error}") from error
        return {"short": short, "cost_per_hour": cost} | plain | worst

    def _whole(self, name: str) -> Sequence[Any]:
        column, count = self.columns[name], len(self.columns[PARTS])
        return column if len(column) == count else [column[0]] * count


@cache
def _column_of(kind: Any) -> type[tuple[Any, ...]]:
    return cast(type[tuple[Any, ...]], tuple.__class_getitem__((kind, ...)))


def _columns(values: Sequence[Any], names: tuple[str, ...]) -> dict[str, Sequence[Any]]:
    """Return the attributes of some values by name."""
    return dict(zip(names, zip(*map(attrgetter(*names), values), strict=True), strict=True))


def cut(first: int, candidates: Sequence[Candidate], parts: NewParts) -> Iterator[Block]:
    """Yield the blocks of candidates that bear the ranks from `first` on."""
    for start in range(0, len(candidates), SIZE):
        yield Block.of(first + start, candidates[start : start + SIZE], parts)


def unreadable(what: str) -> UnreadableError:
    """Return the error for candidates that are not as they were written."""
    return UnreadableError(
        f"a stored candidate {what}\n  do: run fleettui doctor --repair, and restore a backup of the store"
    )


def _sortable(column: Sequence[Any]) -> Sequence[float]:
    """Return a column with infinity for what is undefined; raises TypeError where something is no number."""
    with suppress(TypeError):  # one is None, or no number
        if math.isfinite(sum(column)):  # as each of them is
            return column
    return [one if one is not None and math.isfinite(one) else math.inf for one in column]


def _told_apart(costs: Sequence[float]) -> Sequence[float]:
    """Return costs rounded as far as they are told apart: `round`, which is exact in all digits, takes ten times it."""
    return [one if one > COARSE else (one * COST_STEPS + 0.5) // 1 / COST_STEPS for one in costs]


_Told = tuple[str, list[tuple[str, Sequence[Any]]]]


def _split(columns: Mapping[str, Sequence[Any]], count: int) -> _Told:
    """Return the members of a JSON object of which there is one value, and the columns with `count` of them."""
    alike = {name: column[0] for name, column in columns.items() if len(column) < count}
    return _further(alike), [(name, column) for name, column in columns.items() if len(column) == count]


def _further(values: Mapping[str, Any]) -> str:
    """Return the members of a JSON object that stand behind others."""
    return f",{json.dumps(values, separators=(',', ':'))[1:-1]}" if values else ""


@cache
def _kinds() -> dict[str, Any]:
    """Return the types of a candidate's own columns and its fleet's, by name."""
    own, fleet = get_type_hints(Candidate), get_type_hints(Fleet)
    return {one.name: own[one.name] for one in fields(Candidate) if one.name not in APART} | {
        FLEET + one.name: fleet[one.name] for one in fields(Fleet) if one.name != "pools"
    }
