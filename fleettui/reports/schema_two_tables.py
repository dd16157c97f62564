"""A study's table in JSON of schema 2: columns that say one thing in one way, and cells that are no text of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fleettui.reports.fleet_words import fleet_in_words

KEYS = frozenset({"title", "columns", "rows", "note"})


@dataclass(frozen=True, slots=True)
class Column:
    """What a column is called in schema 2, what it is in, and how its cells are said."""

    name: str
    quantity: str
    cell: Callable[[Any], Any] = lambda value: value


def _counts(text: Any) -> list[int] | None:
    """Return the numbers in a text such as 2 + 6, one per pool; None where it is no such text."""
    parts = text.split(" + ") if isinstance(text, str) else []
    return [int(part) for part in parts] if parts and all(map(str.isdecimal, parts)) else None


COLUMNS: Mapping[tuple[str, str], Column] = {
    ("up_to", "rate"): Column("rate_up_to", "rate"),
    ("up_to", "tokens"): Column("tokens_up_to", "tokens"),
    ("cost", "dollars per hour"): Column("cost_per_hour", "dollars per hour"),
    ("dollars_month", "number"): Column("cost_per_month", "dollars per month"),
    ("replicas", "text"): Column("replicas", "counts", _counts),
    ("fleet", "text"): Column("fleet", "fleet", fleet_in_words),
    ("plan", "text"): Column("plan_handle", "text"),
    **{(one, "text"): Column(f"{one}_text", "text") for one in ("low", "high", "limit")},
    **{(one, "seconds"): Column(f"{one}_value", "seconds") for one in ("ttft", "tpot", "e2e")},
}
"""By name and quantity of schema 1."""


def is_table(plain: Mapping[str, Any]) -> bool:
    """Return whether an object is a study's table as schema 1 has it: each column has a name and a quantity."""
    return plain.keys() >= KEYS and all({"name", "quantity"} <= one.keys() for one in plain["columns"])


def table_of_two(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table of schema 1 in schema 2; all have the same four keys."""
    told = {
        one["name"]: COLUMNS.get((one["name"], one["quantity"]), Column(one["name"], one["quantity"]))
        for one in plain["columns"]
    }
    return {
        "title": plain["title"],
        "note": plain["note"],
        "columns": [{"name": one.name, "quantity": one.quantity} for one in told.values()],
        "rows": [{told[name].name: told[name].cell(value) for name, value in row.items()} for row in plain["rows"]],
    }
