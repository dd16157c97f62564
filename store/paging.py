"""One page of rows in an order that an index holds: the index is walked from the nearer end, bodies are read last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, literal_column

ROW_ID: ColumnElement[int] = literal_column("rowid")
"""SQLite's own number of a row, which every index holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A column or expression that rows are ordered by."""

    by: ColumnElement[Any]
    descending: bool = False

    def clause(self, *, backward: bool = False) -> ColumnElement[Any]:
        """Return what stands in ORDER BY."""
        return self.by.desc() if self.descending != backward else self.by.asc()


Order = tuple[Key, ...]


def rising(*columns: ColumnElement[Any]) -> Order:
    """Return the order by these columns, the smallest first."""
    return tuple(Key(by=column) for column in columns)


def undefined_last(column: ColumnElement[Any]) -> Order:
    """Return the order by a column, the smallest first and NULL at the end."""
    return rising(column.is_(None), column)


def clauses(order: Order, *, backward: bool = False) -> list[ColumnElement[Any]]:
    """Return an order as ORDER BY takes it, or the opposite one."""
    return [key.clause(backward=backward) for key in order]


def page_of_chosen(
    whole: Select[Any], table: Table, chosen: Select[Any], order: Order, *, reverse: bool
) -> Select[Any]:
    """Return `whole` for the chosen row ids, in order: a sort that carries every body along is ten times slower."""
    own: ColumnElement[int] = literal_column(f'"{table.name}".rowid')
    return whole.where(own.in_(chosen)).order_by(*clauses(order, backward=reverse))
