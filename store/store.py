"""The store: one SQLite file with every plan, its candidates, and the inputs they came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import Connection

from fleettui.domain.digest import digest
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Answer, Candidate, PlanRow
from fleettui.domain.scenario import Provenance, Question, Scenario
from fleettui.domain.workload import Workload
from store import failures, identity, inputs, labels, opening, plans, queries, refs, tables
from store.engine import PATIENCE, reading, writing


class Store:
    """Plans and their inputs in one file. Threads may share it; so may programs, which wait for each other's writes.

    What is finished does not change: a plan keeps everything but its name, note, tags and archived flag. A `ref`
    is a handle or its first digits, an id, a plan's name, `last` or `last~1`; one that names nothing, or several,
    raises InputError. Any method may raise StoreError, and a write StoreBusyError or StoreReadOnlyError.
    """

    def __init__(self, opened: opening.Opened, clock: Callable[[], datetime], entropy: Callable[[], int]) -> None:
        self._opened, self._clock, self._entropy = opened, clock, entropy

    @classmethod
    def open(
        cls,
        path: Path | None = None,
        *,
        read_only: bool = False,
        patience: float = PATIENCE,
        clock: Callable[[], datetime] = identity.now,
        entropy: Callable[[], int] = identity.entropy,
    ) -> Store:
        """Open the store at `path` (FLEETTUI_DB, or the user's data folder), making or upgrading it as needed.

        A file that may only be read, or that a newer fleettui wrote, is opened read-only and `notice` says so.
        `patience` is how many seconds a write waits for another program; `clock` and `entropy` feed the ids.
        """
        return cls(opening.open_file(path, read_only=read_only, patience=patience), clock, entropy)

    @property
    def path(self) -> Path:
        """The store's file."""
        return self._opened.path

    @property
    def notice(self) -> str:
        """A sentence on why the store is read-only although that was not asked for; empty otherwise."""
        return self._opened.notice

    def close(self) -> None:
        """Close every connection; the store cannot be used afterwards."""
        self._opened.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

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
        answer: Answer,
        *,
        scenario: Scenario,
        provenance: Provenance,
        workload: Workload,
        profiles: tuple[Profile, ...],
    ) -> Answer:
        """Write the inputs and the plan in one transaction; return the answer with ids, handles and time filled in.

        The plan takes its name from `answer.plan`, or else from the question; engine version and seed are the
        scenario's. When anything fails, nothing of it is kept.
        """
        assert scenario.workload == digest(workload), "the scenario holds the digest of another workload"
        assert set(scenario.profiles) == set(map(digest, profiles)), "the scenario holds the digests of other profiles"
        question = scenario.question
        name = answer.plan.name or question.name
        with self._writing() as connection:
            inputs.put_workload(connection, workload)
            for profile in profiles:
                inputs.put_profile(connection, profile)
            named = replace(
                answer.plan,
                name=name,
                scenario=inputs.put_scenario(connection, scenario),
                engine_version=scenario.engine_version,
                seed=question.seed,
            )
            made_by = inputs.put_provenance(connection, provenance)
            whole, rank = plans.identify(
                connection, replace(answer, plan=named), moment=self._clock(), randomness=self._entropy()
            )
            model = profiles[0].model if profiles else question.model
            plans.add(connection, whole, rank, provenance=made_by, workload=workload.name, model=model)
        return whole

    def plan(self, ref: str) -> Answer:
        """Return the whole answer of a plan, with every candidate."""
        with self._reading() as connection:
            return plans.read(connection, refs.plan_id(connection, ref))

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

    def workload(self, key: str) -> Workload:
        """Return the workload with this digest; raises InputError when there is none."""
        with self._reading() as connection:
            return inputs.get(connection, tables.WORKLOAD, Workload, key)

    def profile(self, key: str) -> Profile:
        """Return the profile with this digest; raises InputError when there is none."""
        with self._reading() as connection:
            return inputs.get(connection, tables.PROFILE, Profile, key)

    def plans(
        self, query: str = "", *, limit: int = 50, offset: int = 0, archived: bool = False
    ) -> tuple[PlanRow, ...]:
        """Return a page of the plans that meet every word of `query`, newest first; archived ones only if asked.

        The words are listed by `store.queries.ACCEPTED`; another form of word raises InputError.
        """
        conditions = self._conditions(query, archived)
        with self._reading() as connection:
            return plans.rows(connection, conditions, limit=limit, offset=offset)

    def count(self, query: str = "", *, archived: bool = False) -> int:
        """Return how many plans meet every word of `query`."""
        conditions = self._conditions(query, archived)
        with self._reading() as connection:
            return plans.count(connection, conditions)

    def candidates(self, ref: str, *, order: str = "rank", offset: int = 0, limit: int = 50) -> tuple[Candidate, ...]:
        """Return a page of a plan's candidates by `order`: rank, cost_per_hour, gpus, power, ttft, tpot or e2e."""
        with self._reading() as connection:
            plan = refs.plan_id(connection, ref)
            return plans.candidates(connection, plan, order=order, limit=limit, offset=offset)

    def count_candidates(self, ref: str) -> int:
        """Return how many candidates a plan holds, its answer among them."""
        with self._reading() as connection:
            return plans.count_candidates(connection, refs.plan_id(connection, ref))

    def candidate(self, ref: str) -> Candidate:
        """Return a candidate by its own handle or id, or the answer of a plan by the plan's ref."""
        with self._reading() as connection:
            return plans.candidate(connection, refs.candidate_id(connection, ref))

    def set_name(self, ref: str, name: str) -> None:
        """Name a plan; empty takes the name away."""
        with self._labelling(ref) as (connection, plan):
            labels.set_name(connection, plan, name)

    def set_note(self, ref: str, note: str) -> None:
        """Replace a plan's note."""
        with self._labelling(ref) as (connection, plan):
            labels.set_note(connection, plan, note)

    def add_tag(self, ref: str, tag: str) -> None:
        """Tag a plan with one word."""
        with self._labelling(ref) as (connection, plan):
            labels.add_tag(connection, plan, tag)

    def remove_tag(self, ref: str, tag: str) -> None:
        """Take a tag from a plan; raises InputError when it does not bear it."""
        with self._labelling(ref) as (connection, plan):
            labels.remove_tag(connection, plan, tag)

    def archive(self, ref: str, archived: bool = True) -> None:
        """Hide a plan from lists and from `last`, or with False show it again."""
        with self._labelling(ref) as (connection, plan):
            labels.archive(connection, plan, archived)

    def _conditions(self, query: str, archived: bool) -> list[queries.Condition]:
        hidden = [] if archived else [tables.PLAN.c.archived == 0]
        return hidden + queries.conditions(query, moment=self._clock())

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with failures.told(self.path, newer=self._opened.newer), reading(self._opened.engine) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self._opened.refusal:
            raise self._opened.refusal
        with failures.told(self.path), writing(self._opened.engine) as connection:
            yield connection

    @contextmanager
    def _labelling(self, ref: str) -> Iterator[tuple[Connection, str]]:
        with self._writing() as connection:
            yield connection, refs.plan_id(connection, ref)
