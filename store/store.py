"""The store: one SQLite file with every plan, its candidates, the inputs they came from, and the work on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy import Connection

from fleettui.domain.digest import digest
from fleettui.domain.hardware import Profile
from fleettui.domain.job import Job
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.plan_row import PlanRow
from fleettui.domain.provenance import Provenance
from fleettui.domain.scenario import Question, Scenario
from fleettui.domain.workload import Workload
from store import candidates, inputs, jobs, labels, plans, queries, refs, tables
from store.care_store import CareStore
from store.insertion import uncollected
from store.job_store import WorkStore
from store.study_store import StudyStore


class Store(WorkStore, StudyStore, CareStore):
    """Plans and their inputs in one file. Threads may share it; so may programs, which wait for each other's writes.

    What is finished does not change: a plan keeps everything but its name, note, tags and archived flag. A `ref`
    is a handle or its first digits, an id, a plan's name, `last` or `last~1`; one that names nothing, or several,
    raises InputError. Any method may raise StoreError, and a write StoreBusyError or StoreReadOnlyError.
    """

    def put_workload(self, workload: Workload) -> str:
        """Keep a workload and return its digest; one that is there stays as it is."""
        with self._writing() as connection:
            return inputs.put_workload(connection, workload)

    def put_profile(self, profile: Profile) -> str:
        """Keep a profile and return its digest; one that is there stays as it is."""
        with self._writing() as connection:
            return inputs.put_profile(connection, profile)

    def put_scenario(self, scenario: Scenario) -> str:
        """Keep a scenario, whose workload and profiles must be there, and return its digest, the name left out."""
        with self._writing() as connection:
            return inputs.put_scenario(connection, scenario)

    def put_provenance(self, provenance: Provenance) -> str:
        """Keep a provenance and return its digest; one that is there stays as it is."""
        with self._writing() as connection:
            return inputs.put_provenance(connection, provenance)

    def add_plan(
        self,
        new: NewPlan,
        *,
        parent: str = "",
    ) -> Answer:
        """Write the inputs and the plan in one transaction; return the answer with ids, handles and time filled in.

        The plan takes its name from its answer, or else from the question; engine version and seed are the
        scenario's. The candidates come back in the order in which they will be read: those that hold all limits
        first, then by cost and GPUs. `parent` names the plan that this one was forked from, if any. When anything
        fails, nothing of it is kept.
        """
        origin = self.own(parent) if parent else None
        with uncollected(), self._writing() as connection:
            return plans.write(
                connection,
                new,
                finished=True,
                parent=origin,
                moment=self._clock(),
                randomness=self._entropy(),
            )

    def begin_plan(
        self,
        new: NewPlan,
        *,
        parent: str = "",
        job: Job | None = None,
    ) -> tuple[Answer, Job]:
        """Write the inputs, a plan that is not finished, and a running job on it, as `add_plan` writes a whole one.

        Its answer is what is known so far. `job` says what the job is (None: to make this plan); the plan's id, its
        own id, handle and times are filled in, and so is its owner, this process, where it names none.
        """
        question, moment, randomness = new.scenario.question, self._clock(), self._entropy()
        origin = self.own(parent) if parent else None
        with uncollected(), self._writing() as connection:
            begun = plans.write(
                connection,
                new,
                finished=False,
                parent=origin,
                moment=moment,
                randomness=randomness,
            )
            asked = job or Job(
                id="",
                handle="",
                kind="plan",
                title=begun.plan.name or new.workload.name,
                state="running",
                plan="",
                seed=question.seed,
                precision=question.precision,
            )
            named = replace(asked, plan=begun.plan.id)
            return begun, jobs.add(connection, named, moment=moment, randomness=randomness)

    def finish_plan(self, plan_id: str, answer: Answer) -> Answer:
        """Write what a begun plan came to, for good, and return the whole answer as it is now stored.

        Verdict, answer, reasons and warnings are taken from `answer`; candidates without an id are added, those with
        one are known. The answer's evidence is its newest verification. A plan that is finished stays as it is;
        raises AssertionError when it came to another verdict or answer.
        """
        with self._writing() as connection:
            plans.finish(connection, plan_id, answer, moment=self._clock(), randomness=self._entropy())
            return plans.read(connection, plan_id)

    def tell_so_far(self, plan_id: str, words: str) -> None:
        """Keep with a begun plan what was found so far; its answer stays that of the formulas until it is finished."""
        with self._writing() as connection:
            plans.tell_so_far(connection, plan_id, words)

    def is_finished(self, ref: str) -> bool:
        """Tell whether a plan has come to its answer for good; one that has not is still proved, or was cut short."""
        with self._reading() as connection:
            return plans.is_finished(connection, refs.plan_id(connection, ref))

    def plan(self, ref: str, *, most: int | None = None) -> Answer:
        """Return the whole answer of a plan, with every candidate, or with no more than the first `most` of them."""
        with self._reading() as connection:
            return plans.read(connection, refs.plan_id(connection, ref), most)

    def row(self, ref: str) -> PlanRow:
        """Return the line that a list shows for a plan, labels included."""
        with self._reading() as connection:
            chosen = tables.PLAN.c.id == refs.plan_id(connection, ref)
            return plans.rows(connection, [chosen], limit=1, offset=0)[0]

    def scenario(self, ref: str) -> Scenario:
        """Return the scenario of a plan, its question bearing the plan's present name."""
        with self._reading() as connection:
            plan = refs.plan_id(connection, ref)
            key, name = plans.column(connection, plan, "scenario"), plans.column(connection, plan, "name")
            return inputs.get(connection, tables.SCENARIO, Scenario, key).named(name)

    def question(self, ref: str) -> Question:
        """Return the question of a plan, bearing the plan's present name."""
        return self.scenario(ref).question

    def provenance(self, ref: str) -> Provenance:
        """Return what made a plan."""
        with self._reading() as connection:
            key = plans.column(connection, refs.plan_id(connection, ref), "provenance")
            return inputs.get(connection, tables.PROVENANCE, Provenance, key)

    def workload_of(self, ref: str) -> Workload:
        """Return the workload that a plan was made for."""
        return self.workload(self.scenario(ref).workload)

    def workload(self, key: str) -> Workload:
        """Return the workload with this digest; raises InputError when there is none."""
        with self._reading() as connection:
            return inputs.get(connection, tables.WORKLOAD, Workload, key)

    def profile(self, key: str) -> Profile:
        """Return the profile with this digest; raises InputError when there is none."""
        with self._reading() as connection:
            return inputs.get(connection, tables.PROFILE, Profile, key)

    def plans(
        self,
        query: str = "",
        *,
        sort: str = "created",
        reverse: bool = False,
        limit: int = 50,
        offset: int = 0,
        archived: bool = False,
    ) -> tuple[PlanRow, ...]:
        """Return a page of the plans that meet every word of `query`; archived ones only if asked.

        The words are listed by `store.queries.ACCEPTED`; another form of word raises InputError. `sort` is created
        (newest first), cost, name, ttft or verdict, all from the smallest, or with `reverse` the other way round.
        """
        conditions = self._conditions(query, archived)
        with self._reading() as connection:
            return plans.rows(connection, conditions, sort=sort, reverse=reverse, limit=limit, offset=offset)

    def plans_of(self, scenario: Scenario) -> tuple[str, ...]:
        """Return the ids of the finished plans with an answer that were made for a scenario, the newest first."""
        with self._reading() as connection:
            return plans.of_scenario(connection, digest(scenario.named("")))

    def is_taken(self, name: str) -> bool:
        """Return whether a plan is called exactly so, an archived one too; empty is no name."""
        with self._reading() as connection:
            return bool(name) and plans.are_called(connection, name)

    def children(self, ref: str, limit: int = 50) -> tuple[PlanRow, ...]:
        """Return the plans that were forked from this one, the oldest first, archived ones too."""
        with self._reading() as connection:
            plan = refs.plan_id(connection, ref)
            forked = (tables.PLAN.c.parent == plan, tables.PLAN.c.id > plan)  # a child was made later
            return plans.rows(connection, forked, reverse=True, limit=limit, offset=0)

    def count(self, query: str = "", *, archived: bool = False) -> int:
        """Return how many plans meet every word of `query`."""
        conditions = self._conditions(query, archived)
        with self._reading() as connection:
            return plans.count(connection, conditions)

    def candidates(
        self, ref: str, *, order: str = "rank", reverse: bool = False, offset: int = 0, limit: int = 50
    ) -> tuple[Candidate, ...]:
        """Return a page of a plan's candidates by `order`: rank, cost_per_hour, gpus, power, ttft, tpot or e2e.

        The smallest stand first and the undefined last, or with `reverse` the other way round.
        """
        with self._reading() as connection:
            plan = refs.plan_id(connection, ref)
            return candidates.page(connection, plan, order=order, reverse=reverse, limit=limit, offset=offset)

    def count_candidates(self, ref: str) -> int:
        """Return how many candidates a plan holds, its answer among them."""
        with self._reading() as connection:
            return candidates.count(connection, refs.plan_id(connection, ref))

    def candidate(self, ref: str) -> Candidate:
        """Return a candidate by its own handle or id, or the answer of a plan by the plan's ref."""
        with self._reading() as connection:
            return candidates.read(connection, refs.candidate_id(connection, ref))

    def plan_of(self, ref: str) -> str:
        """Return the id of the plan of a candidate, named as for `candidate`."""
        with self._reading() as connection:
            return candidates.plan_of(connection, refs.candidate_id(connection, ref))

    def set_name(self, ref: str, name: str) -> PlanRow:
        """Name a plan; empty takes the name away."""
        with self._labelling(ref) as (connection, plan):
            labels.set_name(connection, plan, name)
        return self.row(plan)

    def set_note(self, ref: str, note: str) -> PlanRow:
        """Replace a plan's note."""
        with self._labelling(ref) as (connection, plan):
            labels.set_note(connection, plan, note)
        return self.row(plan)

    def add_tag(self, ref: str, tag: str) -> PlanRow:
        """Tag a plan with one word."""
        with self._labelling(ref) as (connection, plan):
            labels.add_tag(connection, plan, tag)
        return self.row(plan)

    def remove_tag(self, ref: str, tag: str) -> PlanRow:
        """Take a tag from a plan; raises InputError when it does not bear it."""
        with self._labelling(ref) as (connection, plan):
            labels.remove_tag(connection, plan, tag)
        return self.row(plan)

    def archive(self, ref: str, archived: bool = True) -> PlanRow:
        """Hide a plan from lists and from `last`, or with False show it again."""
        with self._labelling(ref) as (connection, plan):
            labels.archive(connection, plan, archived)
        return self.row(plan)

    def _conditions(self, query: str, archived: bool) -> list[queries.Condition]:
        hidden = [] if archived else [tables.PLAN.c.archived == 0]
        return hidden + queries.conditions(query, moment=self._clock())

    @contextmanager
    def _labelling(self, ref: str) -> Iterator[tuple[Connection, str]]:
        plan = self.own(ref)
        with self._writing() as connection:
            yield connection, plan
