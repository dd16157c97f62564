"""Triggers that keep finished things as they are: no UPDATE of their content, no DELETE of anything."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, Table

LABELS = frozenset({"name", "note", "tags", "archived"})
"""The columns of a plan that people may change."""

ANSWER = frozenset(
    {
        "finished",
        "verdict",
        "method",
        "fleet",
        "rate",
        "candidates",
        "answer_rank",
        "gpus",
        "cost_per_hour",
        "ttft",
        "tpot",
        "e2e",
        "body",
        "checksum",
    }
)
"""The columns of a plan that change until it is finished."""

PROGRESS = frozenset({"state", "heartbeat", "finished", "owner", "done", "total", "message", "cancelling", "study"})
"""The columns of a job that change while it is worked on."""

PLACES = frozenset({"body", "checksum"})
"""The columns of an order of candidates that change as long as candidates are added."""

FREE = {"plan": LABELS}
UNTIL = {
    "plan": (ANSWER, "OLD.finished"),
    "candidate_order": (PLACES, "(SELECT finished FROM plan WHERE id = OLD.plan)"),
    "job": (
        PROGRESS,
        "OLD.state = 'done' OR OLD.state IN ('failed', 'cancelled') AND NEW.state <> 'running'",
    ),
}
"""By table: columns that may change until this holds."""


def statements(tables: Iterable[Table]) -> list[str]:
    """Return the CREATE TRIGGERs of each table, one per forbidden act."""
    return [statement for table in tables for statement in (*_no_update(table), _no_delete(table))]


def _no_update(table: Table) -> Iterable[str]:
    passing, end = UNTIL.get(table.name, (frozenset(), ""))
    fixed = [column.name for column in table.columns if column.name not in passing | FREE.get(table.name, frozenset())]
    yield _refusal(f"{table.name}_stays", table, fixed, "", f"a stored {table.name} does not change")
    if end:
        yield _refusal(
            f"{table.name}_ends", table, sorted(passing), f"WHEN {end} ", f"an ended {table.name} does not change"
        )


def _refusal(name: str, table: Table, columns: Iterable[str], when: str, said: str) -> str:
    listed = ", ".join(f'"{column}"' for column in columns)
    return (
        f'CREATE TRIGGER {name} BEFORE UPDATE OF {listed} ON "{table.name}" {when}'
        f"BEGIN SELECT RAISE(ABORT, '{said}'); END"
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
