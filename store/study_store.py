"""The store's part for studies: what was asked beyond a plan, and what was found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fleettui.domain.study import Study
from store import job_owner, jobs, refs, studies
from store.transfer_store import TransferStore


class StudyStore(TransferStore):
    """Studies, which share the handles' one space with plans, candidates and jobs, and never change."""

    def add_study(self, study: Study, *, job: str = "") -> Study:
        """Keep a study and return it with id, handle and time filled in; `study.plan` is a ref of its plan, or empty.

        A cell that is not finite is kept as undefined, None. `job` is the id of the job of this process that comes to
        it, which is done with it: both are written, or neither. Raises InputError when the plan is not there.
        """
        named = replace(study, plan=self.own(study.plan) if study.plan else "")
        with self._writing() as connection:
            moment = self._clock()
            kept = studies.add(connection, named, moment=moment, randomness=self._entropy())
            if job:
                ended: dict[str, Any] = {"state": "done", "message": "", "moment": moment, "study": kept.id}
                jobs.end(connection, job, by=job_owner.present(), **ended)
            return kept

    def study(self, ref: str) -> Study:
        """Return a study by its handle or the start of it, its id, `last` or `last~1`."""
        with self._reading() as connection:
            return studies.read(connection, refs.study_id(connection, ref))

    def studies(
        self, most: int = 50, plan: str | None = None, *, offset: int = 0, kind: str | None = None
    ) -> list[Study]:
        """Return at most `most` studies, newest first, after the first `offset`; of one `kind` where it is given.

        `plan` is a ref of whose; None means all, empty those of no plan. Raises InputError when it is not there.
        """
        with self._reading() as connection:
            chosen = refs.plan_id(connection, plan) if plan else plan
            return studies.page(connection, chosen, kind=kind, limit=most, offset=offset)

    def study_with(self, handle: str, kind: str) -> Study | None:
        """Return the newest study of a `kind` that tells a plan's handle, None where there is none."""
        with self._reading() as connection:
            return studies.with_plan(connection, handle, kind)

    def count_studies(self, plan: str | None = None) -> int:
        """Return how many studies `studies` would list in all."""
        with self._reading() as connection:
            return studies.count(connection, refs.plan_id(connection, plan) if plan else plan)

    def kept(self, ref: str) -> tuple[str, str]:
        """Return whether `ref`, where `last` may be a joint plan, names a "plan" or a "study", and its id, or raise."""
        with self._reading() as connection:
            return refs.kept(connection, ref)
