"""The store's part for its own health: how large it is, whether it is whole, and what it may do without."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from sqlalchemy import select, update

from store import failures, job_owner, prune, soundness
from store.file import StoreFile
from store.soundness import Altered
from store.tables import JOB


def _for_oneself(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Bytes of a store's file, of its write-ahead log, and of what in the file is free for later rows."""

    file: int
    log: int
    free: int


class CareStore(StoreFile):
    """What keeps a store fit for years."""

    def size(self) -> Size:
        """Return how large the store is."""
        log = self.path.with_name(f"{self.path.name}-wal")
        with self._reading() as connection:
            free = "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"
            spare = int(connection.exec_driver_sql(free).scalar_one())
        return Size(file=self.path.stat().st_size, log=log.stat().st_size if log.exists() else 0, free=spare)

    def damage(self) -> tuple[str, ...]:
        """Return what SQLite finds broken in the file, at most five things, and references that lead nowhere."""
        with self._reading() as connection:
            found = [str(one) for one in connection.exec_driver_sql("PRAGMA integrity_check(5)").scalars()]
            lost = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        return tuple(one for one in found if one != "ok") + tuple(
            f"a row of {one[0]} is of nothing" for one in lost[:5]
        )

    def altered(self) -> tuple[Altered, ...]:
        """Return the rows that are not as they were written, by their checksums and digests."""
        with self._reading() as connection:
            return soundness.altered(connection)

    def set_aside(self) -> tuple[tuple[Altered, ...], Path | None]:
        """Take out of the store the altered rows that it can do without, into a new file beside it.

        Returns all the altered rows, and that file, None where nothing was taken out.
        """
        with self._writing() as connection:
            found = soundness.altered(connection)
            if not any(one.spared for one in found):
                return found, None
            kept = self.path.with_name(f"{self.path.name}.set-aside-{self._clock():%Y%m%dT%H%M%S%f}")
            with open(kept, "xb", opener=_for_oneself) as file:
                file.writelines(soundness.take_out(connection, found))
                file.flush()
                os.fsync(file.fileno())
        return found, kept

    def release_jobs(self) -> tuple[str, ...]:
        """Take the jobs of processes of this machine that are gone from them, and return the handles of these jobs.

        They are stopped then and can be resumed; a job of another machine stays as it is.
        """
        with self._writing() as connection:
            running = connection.execute(select(JOB.c.id, JOB.c.handle, JOB.c.owner).filter_by(state="running")).all()
            gone = [one for one in running if job_owner.runs(one.owner) is False]
            for one in gone:
                connection.execute(update(JOB).filter_by(id=one.id).values(state="stopped", owner=""))
        return tuple(one.handle for one in gone)

    def prunable(self, *, older: timedelta, archived: bool) -> prune.Prunable:
        """Return what `prune` would delete."""
        with self._reading() as connection:
            return prune.measure(connection, older=older, archived=archived, moment=self._clock())

    def prune(self, *, older: timedelta, archived: bool) -> prune.Prunable:
        """Delete what `prunable` names, all or nothing, and give the space back to the disk."""
        with self._writing() as connection:
            found = prune.prune(connection, older=older, archived=archived, moment=self._clock())
        with failures.told(self.path), self._opened.engine.connect() as connection:
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return found
