"""Triggers that keep finished things as they are: no UPDATE of their content, no DELETE of anything."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, Table

LABELS = frozenset({"name", "note", "tags", "archived"})
"""The columns of a plan that people may change."""


def statements(tables: Iterable[Table]) -> list[str]:
    """Return one CREATE TRIGGER per table and forbidden act."""
    return [statement for table in tables for statement in (_no_update(table), _no_delete(table))]


def _no_update(table: Table) -> str:
    fixed = [f'"{column.name}"' for column in table.columns if not (table.name == "plan" and column.name in LABELS)]
    return (
        f'CREATE TRIGGER {table.name}_stays BEFORE UPDATE OF {", ".join(fixed)} ON "{table.name}" '
        f"BEGIN SELECT RAISE(ABORT, 'a stored {table.name} does not change'); END"
    )


def _no_delete(table: Table) -> str:
    return (
        f'CREATE TRIGGER {table.name}_remains BEFORE DELETE ON "{table.name}" '
        f"BEGIN SELECT RAISE(ABORT, 'a stored {table.name} is not deleted'); END"
    )


def create(connection: Connection, tables: Iterable[Table]) -> None:
    """Make the triggers, inside the caller's transaction."""
    for statement in statements(tables):
        connection.exec_driver_sql(statement)


def drop(connection: Connection) -> None:
    """Drop every trigger of the file, inside the caller's transaction."""
    names = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").scalars().all()
    for name in names:
        connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
