"""The store's part for work under way: jobs, and the proof that they add to candidates bit by bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.domain.job import Job, JobState
from fleettui.domain.plan import Candidate, Evidence
from store import candidates, job_owner, jobs, refs, replications, verifications
from store.transfer_store import TransferStore

if TYPE_CHECKING:
    from fleettui.domain.simulation import Replication


class WorkStore(TransferStore):
    """Jobs, replications and verifications. Each write is a transaction of its own, so a program may end anywhere.

    A candidate or job is named by its id where a program is at work on it, by a `ref` where a person asks for it.
    """

    def add_candidate(self, plan_id: str, candidate: Candidate) -> Candidate:
        """Add a fleet to an unfinished plan, after its ranked ones; return it with id and handle filled in.

        A fleet that the plan has already is not added again, and the stored one is returned.
        """
        with self._writing() as connection:
            return candidates.add(connection, plan_id, candidate, moment=self._clock(), randomness=self._entropy())

    def add_replication(self, candidate_id: str, seed: int, replication: Replication) -> None:
        """Keep a replication with its histograms, whole or not at all.

        One of this seed and index that is there stays; raises AssertionError when its digest is another.
        """
        rows = replications.Rows.of(candidate_id, seed, replication)  # before the lock, which others wait for
        with self._writing() as connection:
            replications.add(connection, rows, moment=self._clock())

    def replications(self, candidate_id: str, seed: int, *, histograms: bool = False) -> tuple[Replication, ...]:
        """Return a candidate's replications under a root seed, by index; indices may be missing.

        Their pools' histograms are read only when asked for, and are empty otherwise.
        """
        with self._reading() as connection:
            return replications.read(connection, candidate_id, seed, histograms=histograms)

    def add_verification(self, candidate_id: str, evidence: Evidence) -> None:
        """Keep what a candidate's replications came to; from now on the candidate is read with this evidence."""
        with self._writing() as connection:
            verifications.add(connection, candidate_id, evidence, moment=self._clock(), randomness=self._entropy())

    def verifications(self, candidate_id: str) -> tuple[Evidence, ...]:
        """Return what a candidate's replications came to each time they were judged, oldest first."""
        with self._reading() as connection:
            return verifications.read(connection, candidate_id)

    def create_job(self, job: Job) -> Job:
        """Begin a job, which runs from now on; return it with id, handle, times and (this process as) owner."""
        if job.plan:
            self.own(job.plan)
        with self._writing() as connection:
            return jobs.add(connection, job, moment=self._clock(), randomness=self._entropy())

    def claim_job(self, ref: str, owner: str) -> Job:
        """Take up a job that stopped, failed or was cancelled: it runs again, as `owner`'s.

        Raises InputError when somebody is at work on it, or it is done.
        """
        with self._writing() as connection:
            return jobs.claim(connection, refs.job_id(connection, ref), owner, self._clock())

    def beat(self, job_id: str, *, done: int, total: int, message: str) -> bool:
        """Say that this process is at work on a job, and how far it has come; do so every few seconds.

        Returns whether to stop: somebody asked for it, or the job has ended or been taken up by another meanwhile.
        """
        with self._writing() as connection:
            return jobs.beat(
                connection,
                job_id,
                by=job_owner.present(),
                done=done,
                total=total,
                message=message,
                moment=self._clock(),
            )

    def end_job(self, job_id: str, state: JobState, message: str = "", *, study: str = "") -> Job:
        """End a job of this process and return it; one that ended, or was taken up by another, stays as it is.

        `study` is the id of the study that it came to, if it is one of kind study.
        """
        with self._writing() as connection:
            return jobs.end(
                connection,
                job_id,
                by=job_owner.present(),
                state=state,
                message=message,
                moment=self._clock(),
                study=study,
            )

    def request_cancel(self, ref: str) -> Job:
        """Ask who is at work on a job to stop; a job that nobody works on is cancelled at once.

        Raises InputError for a job that is done or failed.
        """
        with self._writing() as connection:
            return jobs.request_cancel(connection, refs.job_id(connection, ref), self._clock())

    def job(self, ref: str) -> Job:
        """Return a job by its handle or the start of it, its id, `last` or `last~1`, in its present state."""
        with self._reading() as connection:
            return jobs.read(connection, refs.job_id(connection, ref), self._clock())

    def first_job(self, plan_id: str) -> Job | None:
        """Return the oldest job on a plan, which made it unless it was made by formula; None where it has none."""
        with self._reading() as connection:
            return jobs.first_of(connection, plan_id, self._clock())

    def jobs(self, limit: int = 50, offset: int = 0) -> tuple[Job, ...]:
        """Return a page of the jobs, newest first, in their present states."""
        with self._reading() as connection:
            return jobs.page(connection, limit=limit, offset=offset, moment=self._clock())

    def count_jobs(self) -> int:
        """Return how many jobs there are."""
        with self._reading() as connection:
            return jobs.count(connection)
