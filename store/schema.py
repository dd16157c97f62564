"""The version of a store's tables: how old a file is, and how a new one is made."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlalchemy import Connection, Table
from sqlmodel import SQLModel

from fleettui.errors import StoreError
from store import triggers
from store.tables import TABLES

APPLICATION_ID = 0x666C7475
"""Written into the file's header ("fltu"), so that other programs' SQLite files are told apart."""

Age = Literal["empty", "older", "current", "newer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The tables this program works with: their Alembic revision, and the folders that hold the steps to it."""

    revision: str = "0008"
    steps: tuple[Path, ...] = (Path(__file__).parent / "migrations" / "versions",)
    tables: tuple[Table, ...] = TABLES


SCHEMA = Schema()


def age(connection: Connection, path: Path, schema: Schema = SCHEMA) -> Age:
    """Return how the file's tables stand to `schema`; raises StoreError for another program's file.

    Revisions are numbers of four digits; what is not such a number was not written by a program we know.
    """
    revision = read_revision(connection)
    if revision is None:
        if not connection.exec_driver_sql("SELECT 1 FROM sqlite_master LIMIT 1").first():
            return "empty"
        revision = read_revision(connection)  # another program of ours may have made all tables between the two looks
    if revision is None:
        raise _foreign(path)
    if connection.exec_driver_sql("PRAGMA application_id").scalar() != APPLICATION_ID:
        raise _foreign(path)
    if not re.fullmatch(r"\d{4}", revision) or revision > schema.revision:
        return "newer"
    return "older" if revision < schema.revision else "current"


def read_revision(connection: Connection) -> str | None:
    """Return the file's revision, None when it has none."""
    if not connection.exec_driver_sql("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").first():
        return None
    revision = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return None if revision is None else str(revision)


def _foreign(path: Path) -> StoreError:
    return StoreError(
        f"{path} is a database of another program\n"
        "  do: set FLEETTUI_DB to another file; nothing was changed in this one"
    )


def create(connection: Connection, schema: Schema = SCHEMA) -> None:
    """Make tables and triggers in an empty file and stamp it, inside the caller's transaction."""
    SQLModel.metadata.create_all(connection, tables=list(schema.tables), checkfirst=False)
    triggers.create(connection, schema.tables)
    connection.exec_driver_sql(
        "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
        "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
    )
    connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (schema.revision,))
    connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")
