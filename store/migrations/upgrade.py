"""The one place that runs Alembic: raises an older file step by step, after a backup copy, in one transaction."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

from fleettui.errors import StoreError
from store import triggers
from store.engine import connect, locked
from store.schema import Schema, age, read_revision


def upgrade(engine: Engine, path: Path, schema: Schema) -> None:
    """Raise the file to `schema`. Raises StoreError, having changed nothing, when a reference would break.

    Foreign keys are off meanwhile, since a step may copy and drop a table that others refer to, and are checked
    before the commit; for the same reason all triggers are dropped first and made anew at the end.
    """
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
        try:
            with locked(connection):
                # Another program may have done this between our look and our lock.
                if age(connection, path, schema) == "older":
                    _raise(connection, path, schema)
        finally:
            connection.exec_driver_sql("PRAGMA foreign_keys=ON")


def backup_path(path: Path, revision: str) -> Path:
    """Return where the copy of a file at `revision` is kept before it is raised."""
    return path.with_name(f"{path.name}.schema-{revision}")


def _raise(connection: Connection, path: Path, schema: Schema) -> None:
    revision = read_revision(connection)
    assert revision is not None, f"{path} has no revision to start from"
    copy = backup_path(path, revision)
    _back_up(path, copy)
    triggers.drop(connection)
    _run_steps(connection, schema, revision)
    triggers.create(connection, schema.tables)
    _check_strict(connection, schema)
    if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").all():
        raise StoreError(
            f"the store {path} could not be upgraded from schema {revision} to {schema.revision}: "
            f"{len(broken)} references would break, the first in table {broken[0][0]}; nothing was changed\n"
            f"  do: report this with {copy}, a copy of the file"
        )


def _run_steps(connection: Connection, schema: Schema, revision: str) -> None:
    scripts = ScriptDirectory(Path(__file__).parent, version_locations=list(schema.steps))
    context = MigrationContext.configure(connection)
    steps = list(scripts.iterate_revisions(schema.revision, revision))
    for step in reversed(steps):
        with Operations.context(context):
            step.module.upgrade()
        context.stamp(scripts, step.revision)


def _check_strict(connection: Connection, schema: Schema) -> None:
    """Fail on a step whose copy of a table is no longer STRICT."""
    strict = {row.name for row in connection.exec_driver_sql("PRAGMA table_list") if row.strict}
    lost = {table.name for table in schema.tables} - strict
    assert not lost, f"no longer STRICT after the upgrade to {schema.revision}: {sorted(lost)}"


def _back_up(path: Path, copy: Path) -> None:
    copy.unlink(missing_ok=True)
    copy.touch(mode=0o600)
    with closing(connect(path, read_only=True)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
