"""The store's part for its own health: how large it is, whether it is whole, and what it may do without."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select, update

from store import failures, job_owner, prune
from store.file import StoreFile
from store.tables import JOB


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
