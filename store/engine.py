"""Connections to the store's file: their pragmas, and the two kinds of transaction."""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import QueuePool

from fleettui.errors import StoreError
from store.failures import code_of

PATIENCE = 5.0
"""Seconds to wait for another program's write to end."""

LATEST, SOONEST, HURRY = 0.005, 0.0003, 0.08
"""Seconds between two looks at whether the write lock is free, at first and after `HURRY` seconds of waiting."""

SYNCED = True
"""Whether a write has synced its log when it returns, so that what was kept is there after a power loss.

SQLite itself would do it (synchronous=FULL) before it lets go of the write lock, and others would wait for the disk.
With NORMAL it syncs the log when that is carried over into the file, and when it begins anew: the file stays sound.
"""

LOG = 4_000
"""Pages of log, 16 MB, after which a commit carries it over into the file, which takes long.

With SQLite's own figure, 1,000, one run in a hundred waits for that.
"""

CACHE = 64_000
"""KiB of pages that a connection may hold: with SQLite's own 2,000 a large plan's pages are written over and over.

They are taken as they are needed, and given back when the connection is closed.
"""

MAPPED = 2**31 - 2**16
"""Bytes of the file that are read as memory: a page from the middle of a million rows comes in a third of the time."""


def connect(path: Path, *, read_only: bool, patience: float = PATIENCE) -> sqlite3.Connection:
    """Return a connection in SQLite's own autocommit mode, so that every BEGIN is one we wrote."""
    mode = "ro" if read_only else "rw"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=patience,
        isolation_level=None,
        check_same_thread=False,
    )
    pragmas = (
        "foreign_keys=ON",
        "synchronous=NORMAL",
        "recursive_triggers=ON",  # triggers must also see the deletions that INSERT OR REPLACE makes
        f"cache_size=-{CACHE}",
        f"mmap_size={MAPPED}",
        f"wal_autocheckpoint={LOG}",
    )
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")
    return connection


def build(path: Path, *, read_only: bool, patience: float = PATIENCE) -> Engine:
    """Return an engine whose pooled connections are those of `connect`; threads may use it at the same time."""
    return create_engine(
        "sqlite://",
        creator=lambda: connect(path, read_only=read_only, patience=patience),
        poolclass=QueuePool,
        isolation_level="AUTOCOMMIT",
    )


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection on which every statement sees the same state of the store."""
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        try:
            yield connection
        finally:
            _roll_back(connection)


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Give a connection that holds the write lock; commits at the end, or keeps nothing when the block raises."""
    with engine.connect() as connection, locked(connection):
        yield connection


@contextmanager
def locked(connection: Connection) -> Iterator[None]:
    """Hold the write lock on `connection`; commits at the end, or keeps nothing when the block raises.

    When it returns the log is synced. What was committed by others before is in the log before it, so that it is
    synced, too: nothing that a transaction was built on can be lost without it.
    """
    _begin(connection)
    try:
        yield
        connection.exec_driver_sql("COMMIT")
    finally:
        _roll_back(connection)
    if SYNCED:
        _sync_log(connection)


def _sync_log(connection: Connection) -> None:
    """Have the disk keep the log of the connection's file; raises StoreError where it cannot."""
    file = connection.exec_driver_sql("SELECT file FROM pragma_database_list WHERE name = 'main'").scalar_one()
    try:
        log = os.open(f"{file}-wal", os.O_RDWR)
    except FileNotFoundError:  # carried over into the file, synced and removed by who closed it last
        return
    try:
        os.fsync(log)
    except OSError as error:
        raise StoreError(
            f"the store {file} cannot be synced to its disk ({error.strerror}): what was written last may be lost with "
            "the power\n  do: check its disk and the space left on it"
        ) from error
    finally:
        os.close(log)


def _begin(connection: Connection) -> None:
    """Take the write lock, looking for it the more often the longer it is waited for, until the patience ends.

    SQLite's own wait looks ever more rarely, up to ten times a second, so that where several programs write at once
    those that came last go first, and one that has waited long waits longer still: of eight some waited for seconds.
    """
    raw = connection.connection.dbapi_connection  # looks cost others' time, and SQLAlchemy's ten times as much
    assert isinstance(raw, sqlite3.Connection)
    (patience,) = raw.execute("PRAGMA busy_timeout").fetchone()
    began = time.monotonic()
    raw.execute("PRAGMA busy_timeout=0")
    try:
        while True:
            try:
                raw.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                waited = time.monotonic() - began
                if code_of(error) != sqlite3.SQLITE_BUSY or waited > patience / 1e3:
                    raise
                time.sleep(random.uniform(0.5, 1.5) * max(SOONEST, LATEST * (1 - waited / HURRY)))
    finally:
        raw.execute(f"PRAGMA busy_timeout={patience}")


def _roll_back(connection: Connection) -> None:
    raw = connection.connection.dbapi_connection
    # A full disk ends the transaction by itself; a second end would hide the first error.
    if isinstance(raw, sqlite3.Connection) and raw.in_transaction:
        connection.exec_driver_sql("ROLLBACK")


def use_wal(connection: Connection, patience: float = PATIENCE) -> None:
    """Put the file into write-ahead mode, for good.

    The switch needs the file alone and does not wait by itself, so two programs that open a new store at the same
    time try again until `patience` seconds have passed.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
            return
        except OperationalError as error:
            if code_of(error.orig) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
