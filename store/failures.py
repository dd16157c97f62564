"""What SQLite refuses, said as a StoreError with what to do about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from fleettui.errors import StoreBusyError, StoreError, StoreReadOnlyError, StoreVersionError


@contextmanager
def told(path: Path, *, newer: bool = False) -> Iterator[None]:
    """Turn the SQLite errors of the block into StoreErrors about `path`; those that are bugs pass unchanged.

    In a file of a `newer` program a missing table or column is no bug: its tables are not the ones we know.
    """
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if not isinstance(cause, sqlite3.Error):
            raise
        if newer and code_of(cause) == sqlite3.SQLITE_ERROR:
            raise StoreVersionError(
                f"the store {path} was written by a newer fleettui and does not read here ({cause})\n"
                "  do: upgrade fleettui"
            ) from error
        if said := explain(cause, path):
            raise said from error
        raise


def code_of(error: BaseException | None) -> int:
    """Return SQLite's primary result code of an error, 0 when it has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def explain(error: sqlite3.Error, path: Path) -> StoreError | None:
    """Return the StoreError for an error that its user can mend, None for any other."""
    code = code_of(error)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusyError(
            f"the store {path} is held by another program\n  do: wait until it is done, and try again"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return read_only(path)
    mend = _MENDS.get(code)
    return StoreError(f"the store {path} {mend[0]} ({error})\n  do: {mend[1]}") if mend else None


def read_only(path: Path) -> StoreReadOnlyError:
    """Return the error for a write to a store that may only be read."""
    return StoreReadOnlyError(
        f"the store {path} may be read, not written\n"
        "  do: give yourself write permission on the file and its folder, or set FLEETTUI_DB to a file of your own"
    )


_RECOVER = "move it away and restore a backup; `sqlite3 FILE .recover` saves what is still readable"
_MENDS = {
    sqlite3.SQLITE_FULL: ("cannot grow: nothing of this was kept", "free space on its disk, and try again"),
    sqlite3.SQLITE_IOERR: ("cannot be read or written", "check its disk and the space left on it"),
    sqlite3.SQLITE_CORRUPT: ("is damaged", _RECOVER),
    sqlite3.SQLITE_NOTADB: ("is not a database", _RECOVER),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened",
        "check its permissions; a store in use opens only for those who may write its folder, "
        "so ask its owner for a finished copy",
    ),
}
