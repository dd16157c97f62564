"""View 8 over a real store and real work: what runs here and elsewhere, what is stopped, and nothing read when idle."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Static

from fleettui.domain.job import Job
from fleettui.domain.plan import Answer
from fleettui.domain.progress import Progress
from fleettui.reports.jobs_text import JobLine
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.page import Page
from fleettui.tui.state import AppState
from fleettui.tui.tabs import job_rows
from fleettui.tui.tabs import jobs as jobs_view
from fleettui.tui.tabs.jobs import JobsView
from fleettui.tui.tabs.list_rows import ListRows
from fleettui.tui.task import Task, Tools
from store import Store
from store.job_owner import present
from tests.repeated import few
from tests.store import samples
from tests.tui.driving import KEY, driven, settle, text_of, told, typed, until
from tests.tui.frames import frame, rules

Make = Callable[..., FleetApp]


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    """The store as another program has it open."""
    with Store.open(database) as opened:
        yield opened


@pytest.fixture
def proved(store: Store) -> Answer:
    return samples.prove(store)


async def jobs_of(pilot: Pilot[int]) -> JobsView:
    """See the view and wait until its list is read."""
    await pilot.press(KEY["jobs"])
    view = pilot.app.query_one(JobsView)
    await until(pilot, lambda: view.table.count is not None)
    await settle(pilot)
    return view


def begin(app: FleetApp, kept: tuple[Answer, Job] | None = None) -> Task:
    """Begin work that reports three of eight and then waits; with `kept` its plan and job are known."""

    async def work(tools: Tools) -> Answer:
        if kept is not None:
            tools.task.begun(*kept)
        tools.task.report(Progress(message="searching fleets", done=3, total=8))
        await asyncio.Event().wait()
        raise AssertionError

    return app.state.follow("plan chat", "plan", work)


def squeezed(app: App[int]) -> str:
    """Return what stands on the screen, one blank between two words."""
    return " ".join(frame(app).split())


def watched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows with every page of jobs that is read from now on."""
    read: list[int] = []
    page = Store.jobs

    def jobs(store: Store, limit: int = 50, offset: int = 0) -> tuple[Job, ...]:
        read.append(offset)
        return page(store, limit, offset)

    monkeypatch.setattr(Store, "jobs", jobs)
    return read


async def test_without_any_job_it_says_how_one_comes_about(make_app: Make, store: Store) -> None:
    async with driven(make_app()) as pilot:
        await jobs_of(pilot)
        assert text_of(pilot.app, "#jobs-status") == ""
        assert "No job yet.  2 Fleet, then r plans the question" in frame(pilot.app)


async def test_when_nothing_runs_it_says_what_ended_last(make_app: Make, store: Store, proved: Answer) -> None:
    job = store.jobs()[0]
    async with driven(make_app()) as pilot:
        await jobs_of(pilot)
        status = text_of(pilot.app, "#jobs-status")
        assert status.startswith(f"Nothing running.  Last: job {job.handle}, done ")
        assert len(status) <= 80
        await until(pilot, lambda: f"-- job {job.handle}: chat in may --" == text_of(pilot.app, "#jobs-title"))
        detail = text_of(pilot.app, "#jobs-detail")
        assert f"best    {proved.plan.handle}   16 H100 tp4 x4 + 4 A100 tp4 x1   $91/h   PASS   simulated" in detail
        assert "enter opens the plan" in detail
        assert text_of(pilot.app, "#jobs-log").startswith("its log is in the program that did the work")
        assert {"cancel", "resume"} <= pilot.app.query_one(JobsView).impossible()


@pytest.mark.evidence
async def test_jobs_are_found_by_words_of_their_rows(make_app: Make, store: Store, proved: Answer) -> None:
    job = store.jobs()[0]
    async with driven(make_app()) as pilot:
        await jobs_of(pilot)
        table, total = pilot.app.query_one(JobsView).table, store.count_jobs()
        for words, found in ((f"DONE {job.handle}", 1), ("no-such-job", 0)):
            await pilot.press("slash")
            await typed(pilot, words)
            await settle(pilot)
            assert table.count == found
            assert text_of(pilot.app, "#jobs-status").startswith(f"/ filter: {words}")
        assert "No row has no-such-job." in frame(pilot.app)
        await pilot.press("escape")
        await until(pilot, lambda: table.count == total)


@pytest.mark.evidence
async def test_nothing_is_read_while_nothing_runs(
    make_app: Make, proved: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_view, "LOOK", 0.02)
    async with driven(make_app()) as pilot:
        await jobs_of(pilot)
        read = watched(monkeypatch)
        await pilot.pause(0.2)
        assert not read


async def test_what_searches_here_is_shown_with_its_log_and_stopped(make_app: Make, proved: Answer) -> None:
    app = make_app()
    async with driven(app) as pilot:
        view = await jobs_of(pilot)
        task = begin(app)
        await until(pilot, lambda: "searching fleets" in text_of(app, "#jobs-log"))
        assert text_of(app, "#jobs-status").startswith("1 running: 1 here   q stops what still searches here")
        await until(pilot, lambda: "> - plan chat - searching ###....... 3/8" in squeezed(app))
        assert text_of(app, "#jobs-detail").startswith("state   searching here")
        await pilot.press("x")
        await until(pilot, lambda: not task.alive)
        await until(pilot, lambda: view.table.count == 1)
        await until(pilot, lambda: text_of(app, "#jobs-status").startswith("Nothing running."))


@pytest.mark.evidence
async def test_its_own_job_is_told_from_another_programs(make_app: Make, store: Store) -> None:
    app = make_app()
    kept, other = samples.begin(store), samples.begin(store, owner="elsewhere:417:1")
    async with driven(app) as pilot:
        await jobs_of(pilot)
        begin(app, kept)
        await until(pilot, lambda: "2 running: 1 here, 1 in another program" in text_of(app, "#jobs-status"))
        await until(pilot, lambda: text_of(app, "#jobs-detail").startswith("state   running here"))
        assert f"plan {kept[0].plan.handle} is kept; job {kept[1].handle} proves it" in text_of(app, "#jobs-log")
        await pilot.press("x")
        await until(pilot, lambda: store.job(kept[1].id).cancelling)
        assert not store.job(other[1].id).cancelling
        await pilot.press("k")
        await until(pilot, lambda: "in another program (process 417 on elsewhere)" in text_of(app, "#jobs-detail"))


@pytest.mark.evidence
async def test_the_cursor_goes_with_a_search_that_becomes_a_job(make_app: Make, store: Store) -> None:
    app = make_app()
    kept = samples.begin(store)
    samples.begin(store, owner="elsewhere:417:1")
    async with driven(app) as pilot:
        view = await jobs_of(pilot)
        task = begin(app)
        await until(pilot, lambda: view.table.key == "task 1")
        task.begun(*kept)
        app.state.changed()
        await until(pilot, lambda: view.table.count == 2)
        await settle(pilot)
        assert view.table.key == kept[1].id


async def test_the_cursor_goes_to_a_study_that_began_after_work_that_ended(make_app: Make, store: Store) -> None:
    """Seen: "8 shows how far, x there stops it", and the cursor stood on the simulation before, which had ended."""
    app = make_app()
    kept = samples.begin(store)
    async with driven(app) as pilot:
        app.state.following = task = Task(title="simulate 16 h100 tp4", kind="simulate")
        task.begun(*kept)
        task.state = "done"
        app.state.thread.tasks.append(task)
        study = asyncio.create_task(app.state.thread.work_out("pareto", lambda _: asyncio.sleep(60)))
        await until(pilot, lambda: app.state.thread.alive)
        view = await jobs_of(pilot)
        await until(pilot, lambda: view.table.count == 2)
        await settle(pilot)
        assert view.line is not None
        assert view.line.job.title == "pareto"
        app.state.thread.cancel(app.state.thread.tasks[-1])
        await until(pilot, study.done)


@pytest.mark.thorough
async def test_the_cursor_waits_for_work_that_is_not_listed_yet(make_app: Make, store: Store) -> None:
    app = make_app()
    kept = samples.begin(store)
    samples.begin(store, owner="elsewhere:417:1")
    async with driven(app) as pilot:
        view = await jobs_of(pilot)
        app.state.following = Task(title="plan chat", kind="plan")
        view.tick()
        await settle(pilot)
        app.state.following.begun(*kept)
        app.state.thread.tasks.append(app.state.following)
        view.tick()
        await until(pilot, lambda: view.table.key == kept[1].id)
        app.state.thread.tasks.clear()


async def test_lines_that_are_replaced_while_they_are_looked_through_break_nothing(
    make_app: Make, store: Store
) -> None:
    class Replaced:
        def __init__(self, rows: ListRows[JobLine] | None) -> None:
            self._rows, self._times = rows, 0

        @property
        def lines(self) -> dict[str, JobLine]:
            self._times += 1
            return self._rows.lines if self._rows is not None and self._times == 1 else {}

    app = make_app()
    kept = samples.begin(store)
    async with driven(app) as pilot:
        view = await jobs_of(pilot)
        app.state.following = Task(title="plan chat", kind="plan", job=kept[1])
        app.state.thread.tasks.append(app.state.following)
        before = view._rows
        view._rows = Replaced(before)  # type: ignore[assignment]
        view._go_to_what_began()
        view._rows = before
        app.state.thread.tasks.clear()


@pytest.mark.thorough
async def test_what_runs_elsewhere_is_followed_until_it_ends(
    make_app: Make, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_rows, "present", lambda: "here:7:1")  # the store is another program's
    monkeypatch.setattr(jobs_view, "LOOK", 0.05)
    _, job = samples.begin(store)
    async with driven(make_app()) as pilot:
        await jobs_of(pilot)
        assert "q does not stop them" in text_of(pilot.app, "#jobs-status")
        store.beat(job.id, done=2, total=10, message="simulating H100 tp4 x3")
        await until(pilot, lambda: "##........ 2/10" in squeezed(pilot.app))
        await until(pilot, lambda: "now     simulating H100 tp4 x3" in text_of(pilot.app, "#jobs-detail"))
        store.beat(job.id, done=6, total=10, message="simulating H100 tp4 x3")
        await until(pilot, lambda: "######.... 6/10" in squeezed(pilot.app))
        store.end_job(job.id, "done")
        await until(pilot, lambda: text_of(pilot.app, "#jobs-status").startswith("Nothing running."))


@pytest.mark.evidence
async def test_it_is_not_followed_while_another_view_is_seen(
    make_app: Make, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_rows, "present", lambda: "here:7:1")  # the store is another program's
    monkeypatch.setattr(jobs_view, "LOOK", 0.1)
    _, job = samples.begin(store)
    async with driven(make_app()) as pilot:
        await jobs_of(pilot)
        await pilot.press(KEY["fleet"])
        await settle(pilot)
        read = watched(monkeypatch)
        await pilot.pause(0.5)
        assert not read
        store.beat(job.id, done=4, total=10, message="")
        await pilot.press(KEY["jobs"])
        await until(pilot, lambda: "####...... 4/10" in squeezed(pilot.app))


async def test_another_programs_job_is_asked_to_stop(make_app: Make, store: Store) -> None:
    _, job = samples.begin(store)
    async with driven(make_app()) as pilot:
        await jobs_of(pilot)
        await pilot.press("x")
        await until(pilot, lambda: store.job(job.id).cancelling)
        await until(pilot, lambda: "stopping" in frame(pilot.app).split("\n")[4])


async def test_stopped_work_goes_on(make_app: Make, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app()
    _, job = samples.begin(store)
    store.end_job(job.id, "stopped", "stopped; what was finished is kept")
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(AppState, "resume", lambda _, *given: asked.append(given))
    async with driven(app) as pilot:
        await jobs_of(pilot)
        assert text_of(app, "#jobs-detail").endswith("R goes on where it was left, enter opens the plan")
        await pilot.press("R")
        await until(pilot, lambda: asked)
        assert asked == [(job.id, "chat in may")]


async def test_what_is_done_is_neither_stopped_nor_resumed(make_app: Make, proved: Answer) -> None:
    async with driven(make_app()) as pilot:
        await jobs_of(pilot)
        await pilot.press("R")
        await until(pilot, lambda: told(pilot.app))
        assert "this job is done: there is nothing to go on with" in told(pilot.app)[-1]
        await pilot.press("x")
        await until(pilot, lambda: "the job has ended: it is done" in told(pilot.app)[-1])


async def test_enter_opens_its_plan(make_app: Make, store: Store, proved: Answer) -> None:
    app = make_app()
    samples.add(store)
    async with driven(app) as pilot:
        await jobs_of(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: app.seen == "fleet")
        assert app.state.shown is not None
        assert app.state.shown.plan == proved.plan.id


async def test_it_is_copied_with_its_log(make_app: Make, proved: Answer) -> None:
    app = make_app()
    async with driven(app) as pilot:
        view = await jobs_of(pilot)
        begin(app)
        await until(pilot, lambda: "searching fleets" in text_of(app, "#jobs-log"))
        assert view.copied().startswith("plan chat\nstate   searching here")
        assert view.copied().endswith("searching fleets")


@pytest.mark.parametrize("size", few([(80, 24), (120, 36), (200, 50), (60, 14)], 1, whole=True))
async def test_every_size_shows_the_list_whole(
    make_app: Make, store: Store, proved: Answer, size: tuple[int, int]
) -> None:
    app = make_app()
    async with driven(app, size) as pilot:
        view = await jobs_of(pilot)
        begin(app, samples.begin(store))
        await until(pilot, lambda: text_of(app, "#jobs-status").startswith("1 running"))
        await pilot.pause()
        assert not rules(frame(app), *size)
        assert view.table.region.height >= 4
        assert len(view.query("*")) <= 60


async def test_a_study_that_was_left_is_taken_up_by_a_runner_and_opened_when_it_is_there(
    make_app: Make, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, handed = make_app(), list[Job]()
    job = store.end_job(store.create_job(samples.study_job()).id, "stopped")

    def hand_over(job: Job, path: Path) -> bool:
        handed.append(job)
        return path == store.path

    monkeypatch.setattr(jobs_view, "hand_over", hand_over)
    async with driven(app) as pilot:
        view = await jobs_of(pilot)
        assert f"> {job.handle} whatif last --steps - stopped" in squeezed(app)
        assert text_of(app, "#jobs-detail").endswith("R goes on where it was left")
        await pilot.press("enter")
        await until(pilot, lambda: "there is no study yet: the job is stopped" in told(app)[-1])
        await pilot.press("R")
        await until(pilot, lambda: handed)
        assert [one.id for one in handed] == [job.id]
        store.claim_job(job.id, present())
        kept = store.add_study(samples.study(), job=job.id)
        view.tick()
        await until(pilot, lambda: text_of(app, "#jobs-detail").endswith("enter opens the study"))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Page) and app.screen.query("#page-text"))
        assert kept.title in str(app.screen.query_one("#page-text", Static).content)
