"""The jobs as pages: what this program searches for first, then the store's; rates as they were seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.progress import Progress
from fleettui.errors import InputError
from fleettui.reports.jobs_text import JobLine, jobs_page
from fleettui.tui.tabs.job_rows import Jobs, Pace, line_of, task_of
from fleettui.tui.tabs.list_rows import ListRows
from fleettui.tui.task import Task
from store import Store
from tests.store import samples

JOB = replace(samples.job("plan"), id="job")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "jobs.db")


def rows(store: Store, *tasks: Task) -> ListRows[JobLine]:
    jobs = Jobs(store=store, tasks=list(tasks))
    return ListRows(many=jobs.count, read=jobs.read, key=lambda line: line.job.id, tell=jobs_page)


def searching(title: str = "plan chat") -> Task:
    return Task(title=title, kind="plan", progress=Progress(message="searching fleets", done=3, total=8))


class Moving(Task):
    """Work whose progress is another at every look."""

    looks = 0

    def __getattribute__(self, name: str) -> Any:
        if name != "progress":
            return super().__getattribute__(name)
        Moving.looks += 1
        return Progress(message=f"fleet {Moving.looks}", done=Moving.looks, total=Moving.looks)


def test_a_line_is_of_one_moment() -> None:
    job = line_of(0, Moving(title="plan chat", kind="plan")).job
    assert job.done == job.total
    assert job.message == f"fleet {job.done}"


def test_an_error_without_words_is_told_by_its_type() -> None:
    failed = Task(title="plan chat", kind="plan", state="failed", error=ZeroDivisionError())
    assert line_of(0, failed).job.message == "ZeroDivisionError"


def test_a_rate_is_what_came_within_the_time_it_was_seen() -> None:
    pace = Pace()
    assert pace.see(replace(JOB, done=2), 100.0) is None
    assert pace.see(replace(JOB, done=2), 101.0) is None
    assert pace.see(replace(JOB, done=6), 102.0) == 2.0
    assert pace.see(replace(JOB, done=7), 158.0) == pytest.approx(5 / 58)
    assert pace.see(replace(JOB, done=7), 162.0) == pytest.approx(1 / 60, rel=0.02)


def test_a_glance_is_no_rate() -> None:
    pace = Pace()
    pace.see(replace(JOB, done=2), 100.0)
    assert pace.see(replace(JOB, done=4), 100.2) is None


def test_the_next_fleet_and_another_run_begin_anew() -> None:
    pace = Pace()
    pace.see(replace(JOB, done=6), 100.0)
    assert pace.see(replace(JOB, done=0), 101.0) is None
    assert pace.see(replace(JOB, done=3), 102.0) == 3.0
    assert pace.see(replace(JOB, done=3, state="done"), 103.0) is None
    assert pace.see(replace(JOB, done=6), 104.0) is None


def test_jobs_are_counted_whatever_their_number(store: Store) -> None:
    for number in range(10):
        assert store.count_jobs() == number
        samples.begin(store)


def test_what_is_not_stored_yet_stands_first(store: Store) -> None:
    _, job = samples.begin(store)
    listed = rows(store, searching("plan old"), searching("plan new"))
    page = listed.page(0, 100)
    assert listed.count() == 3
    assert page.keys == ("task 1", "task 0", job.id)
    assert [row[1] for row in page.table.rows] == ["plan new", "plan old", "chat in may"]
    assert page.table.rows[0][3:6] == ("searching", "###.......", "3/8")


def test_pages_go_on_where_the_one_before_ended(store: Store) -> None:
    jobs = [samples.begin(store)[1] for _ in range(4)]
    listed = rows(store, searching())
    found = [key for offset in range(0, 5, 2) for key in listed.page(offset, 2).keys]
    assert found == ["task 0", *(job.id for job in reversed(jobs))]
    assert set(listed.lines) == set(found)


def test_a_task_is_its_job_once_that_is_stored(store: Store) -> None:
    answer, job = samples.begin(store)
    task = searching()
    task.begun(answer, job)
    listed = rows(store, task)
    page = listed.page(0, 100)
    assert page.keys == (job.id,)
    assert page.table.rows[0][2] == answer.plan.handle
    assert listed.lines[job.id].here
    task.state = "cancelled"
    listed.page(0, 100)
    assert not listed.lines[job.id].here


def test_a_part_of_work_here_is_here_and_what_another_program_does_is_not(store: Store) -> None:
    part, other = samples.begin(store)[1], samples.begin(store, owner="elsewhere:7:1")[1]
    listed = rows(store, Task(title="plan five models together", kind="study"))
    listed.page(0, 100)
    assert [listed.lines[one.id].here for one in (part, other)] == [True, False]


def test_a_search_that_failed_stays_with_its_reason(store: Store) -> None:
    failed, done = searching(), searching()
    failed.state, failed.error = "failed", InputError("no such workload", remedy="another")
    done.state = "done"
    page = rows(store, failed, done).page(0, 100)
    assert page.keys == ("task 0",)
    assert page.table.rows[0][3] == "failed"
    assert page.table.rows[0][-1] == "no such workload"


def test_the_task_behind_a_row(store: Store) -> None:
    answer, job = samples.begin(store)
    first, again, other = searching(), searching(), searching()
    for one in (first, again):
        one.begun(answer, job)
    tasks = [first, other, again]
    assert task_of(tasks, job.id) is again
    assert task_of(tasks, "task 1") is other
    assert task_of(tasks, "task 0") is None
    assert task_of(tasks, "elsewhere") is None
