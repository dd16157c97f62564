"""The store's part for handing over: bundles of plans, and copies of the whole file."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from sqlalchemy import select

from fleettui.errors import InputError
from store import failures, refs
from store.bundle_merge import Merged, merge
from store.engine import connect, reading
from store.file import StoreFile
from store.tables import PLAN


class TransferStore(StoreFile):
    """What leaves the store's file and what comes into it from another."""

    def bundle(self, wanted: Collection[str]) -> bytes:
        """Return the bundle of the plans with these refs, the same bytes for the same plans; raises InputError."""
        from store.bundle_write import write

        with self._reading() as connection:
            return write(connection, sorted({refs.plan_id(connection, ref) for ref in wanted}))

    def take_in(self, bundle: bytes, where: str) -> Merged:
        """Add the plans of a bundle, all or none; raises InputError, which says `where`, for what does not fit."""
        from store.bundle_read import rows

        try:
            with self._writing() as connection:
                return merge(connection, rows(bundle, where), where, self._clock())
        except InputError as error:
            raise (error if error.where else error.at(where)) from error.__cause__

    def own(self, ref: str) -> str:
        """Return the id of a plan for what refers to it from now on: one of the store beside is taken in first."""
        with self._reading() as connection:
            plan = refs.plan_id(connection, ref)
        if self._also is not None:
            with reading(self._opened.engine) as connection:
                here = connection.scalar(select(PLAN.c.id).filter_by(id=plan))
            if here is None:
                self.take_in(self.bundle([plan]), str(self._also))
        return plan

    def back_up(self, target: Path) -> int:
        """Copy the store as it is at one moment to the new file `target`, others writing meanwhile; return its bytes.

        The copy keeps the schema and can take the store's place. Nothing is left of it when this raises, InputError
        where the file is there or cannot be made.
        """
        return self._copy(target, writable=True)

    def publish(self, target: Path) -> int:
        """Write the store as it is at one moment to the new file `target`, for others to read; return its bytes.

        It has no write-ahead log, so who may read it can open it. Raises InputError as `back_up` does.
        """
        return self._copy(target, writable=False)

    def _copy(self, target: Path, *, writable: bool) -> int:
        with failures.told(target):
            _make(target)
            try:
                with closing(connect(self.path, read_only=True)) as source, closing(sqlite3.connect(target)) as copy:
                    source.backup(copy)
                    copy.execute("PRAGMA journal_mode=DELETE")
                    if not writable:
                        copy.execute("VACUUM")
                if not writable:
                    target.chmod(0o444)
            except BaseException:
                target.unlink(missing_ok=True)
                raise
        return target.stat().st_size


def _make(target: Path) -> None:
    """Make an empty file (mode 0600); raises InputError where one is there, or none may be made."""
    try:
        target.touch(mode=0o600, exist_ok=False)
    except (PermissionError, FileNotFoundError, NotADirectoryError, FileExistsError) as error:
        raise InputError(
            f"the file cannot be made: {error.strerror}",
            value=str(target),
            remedy="name a new file in a folder that you may write",
        ) from error
