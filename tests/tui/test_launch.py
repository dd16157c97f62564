"""The app made as the program makes it, and launched without a person: it leaves as it is told to, and reports."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

import fleettui.__main__ as program
from fleettui import garbage
from fleettui.domain.job import Job
from fleettui.domain.opening import Opening
from fleettui.planning import settings
from fleettui.reports import row_fleet
from fleettui.tui import saved_place, signals
from fleettui.tui.app import FleetApp
from fleettui.tui.launch import launch, make
from fleettui.tui.state import AppState
from fleettui.tui.task import State, Task, Tools
from fleettui.tui.use_case_thread import UseCaseThread
from store import Store
from tests.repeated import few
from tests.store import samples
from tests.tui.conftest import Make
from tests.tui.driving import driven, frame_of_first

SLOW = {"rate": "20/s", "slo-ttft": "200ms", "gpu": "h100", "tp": "8", "precision": "0.1%"}


def test_the_app_is_made_of_settings_session_and_the_newest_plans_line(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLEETTUI_SLO_TTFT", "300ms")
    monkeypatch.setenv("FLEETTUI_WORKERS", "3")
    chosen = settings.settings()
    thread = UseCaseThread(settings.database(chosen), 1)
    app = make(thread, Opening(), chosen)
    assert app.state.defaults() == {"slo-ttft": "300ms"}
    assert app.row is not None
    assert app.row.workload == "azure-2023-conv"
    assert (app.folder, app.glyphs) == (tmp_path / "state", "braille")
    assert not (tmp_path / "state").exists(), "nothing is written before there is something to keep"


def test_what_was_filtered_in_another_store_is_not_in_this_one(filled: Path, tmp_path: Path) -> None:
    """Seen: a fresh store's plans hidden by the words of a filter that another one's had."""
    chosen = settings.settings()
    with Store.open(filled) as store:
        (newest,) = store.plans(limit=1)
    for plan, words in ((newest.id, "h100"), ("elsewhere", "")):
        saved_place.save(
            tmp_path / "state" / saved_place.FILE, saved_place.Session(plan=plan, words="h100", theme="night")
        )
        session = make(UseCaseThread(settings.database(chosen), 1), Opening(), chosen).session
        assert (session.words, session.theme) == (words, "night")


async def test_the_first_frame_has_the_last_answer_before_the_store_is_open(filled: Path, make_app: Make) -> None:
    app = make_app()
    shown = await frame_of_first(app)
    assert "[2 Fleet]" in shown
    assert app.row is not None
    assert row_fleet.shown(app.row.fleet) in shown


async def test_a_plan_that_is_opened_is_what_the_first_frame_has(filled: Path, make_app: Make) -> None:
    """Seen: the newest plan's PASS stood there until the one that was asked for had been read."""
    with Store.open(filled) as store:
        newest, other = store.plans(limit=2)
    assert newest.fleet != other.fleet
    shown = await frame_of_first(make_app(Opening(kind="plan", text=other.handle)))
    assert row_fleet.shown(other.fleet) in shown
    assert row_fleet.shown(newest.fleet) not in shown
    assert "Opening last~1" in await frame_of_first(make_app(Opening(kind="plan", text="last~1")))


def leaving(monkeypatch: pytest.MonkeyPatch, run: object) -> None:
    """Let the app run as `run` says, for there is no terminal here."""
    monkeypatch.setattr(FleetApp, "run", run)


def test_leaving_without_work_says_nothing(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    leaving(monkeypatch, lambda _: 0)
    assert launch(Opening(), settings.settings()) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("code", "how"), few([(0, "goes on"), (143, "stopped"), (129, "goes on")], 1, more=1))
def test_work_that_is_left_goes_on_by_itself_unless_the_app_was_killed(
    database: Path,
    trace: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: int,
    how: str,
) -> None:
    """The thread of the use cases is the program's own, with its workers."""
    handed: list[Job] = []

    def hand_over(job: Job, path: Path | None) -> bool:
        assert path == database
        handed.append(job)
        return True

    monkeypatch.setattr("fleettui.planning.hand_over.hand_over", hand_over)

    def run(app: FleetApp) -> int:
        app.state.thread.start()
        state = AppState(thread=app.state.thread)
        state.ask({"workload": trace, **SLOW})
        task = state.plan()
        moment = threading.Event()
        for _ in range(400):
            if task.job is not None:
                break
            moment.wait(0.05)
        assert task.job is not None, task.log
        return code

    leaving(monkeypatch, run)
    assert launch(Opening(), settings.settings()) == code
    said = capsys.readouterr().err
    assert said.startswith(f"{how}: plan ")
    assert f"; fleettui jobs {'follow' if handed else 'resume'} " in said
    assert len(handed) == (how == "goes on")
    with Store.open(database) as store:
        assert [job.state for job in store.jobs()] == ["stopped"], "for whoever goes on with it"


@pytest.mark.parametrize(("code", "how"), few([(0, "goes on"), (143, "stopped")], 1, more=1))
def test_a_study_that_is_left_becomes_a_job_that_goes_on(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: int, how: str
) -> None:
    """Seen: leaving cancelled who waited for the study, and with it the study, so that nothing was left of it."""
    handed: list[Job] = []

    def hand_over(job: Job, _: Path | None) -> bool:
        handed.append(job)
        return True

    monkeypatch.setattr("fleettui.planning.hand_over.hand_over", hand_over)

    async def endless(_: Tools) -> None:
        await asyncio.Event().wait()

    def leave(store: Store) -> Job:
        return store.end_job(store.create_job(samples.study_job()).id, "stopped")

    def run(app: FleetApp) -> int:
        thread = app.state.thread
        thread.start()

        async def left_while_it_works() -> None:
            asked = [thread.work_out("whatif --steps", endless, leave), thread.work_out("a trace", endless)]
            waiting = [asyncio.create_task(one) for one in asked]
            while len(thread.alive) < len(asked):
                await asyncio.sleep(0.01)
            for one in waiting:
                one.cancel()

        asyncio.run(left_while_it_works())
        assert [task.goes_on for task in thread.alive] == [True, False]
        return code

    leaving(monkeypatch, run)
    assert launch(Opening(), settings.settings()) == code
    with Store.open(database) as store:
        (job,) = store.jobs()
    said = capsys.readouterr().err
    assert said.startswith(f"{how}: whatif --steps; fleettui jobs {'follow' if handed else 'resume'} {job.handle} ")
    assert said.count("\n") == 1, "of what nobody can go on with nothing is said"
    assert [one.id for one in handed] == ([job.id] if how == "goes on" else [])


class Ending(UseCaseThread):
    """Work that ends in its own way while the program leaves."""

    states: ClassVar[list[State]] = ["cancelled", "done", "failed"]

    def close(self) -> None:
        for task, state in zip(self.tasks, self.states, strict=True):
            task.state = state


@pytest.mark.parametrize("dies", [False, True])
def test_only_work_that_was_stopped_is_told_and_that_even_when_the_app_dies(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], dies: bool
) -> None:
    def run(app: FleetApp) -> int:
        for state in Ending.states:
            job = replace(samples.job("plan"), handle=f"of-{state}")
            app.state.thread.tasks.append(Task(title=f"plan {state}", kind="plan", job=job))
        if dies:
            raise RuntimeError
        return 143

    monkeypatch.setattr("fleettui.tui.launch.UseCaseThread", Ending)
    leaving(monkeypatch, run)
    with pytest.raises(RuntimeError) if dies else nullcontext():
        launch(Opening(), settings.settings())
    assert capsys.readouterr().err == "stopped: plan cancelled; fleettui jobs resume of-cancelled goes on with it\n"


def test_leaving_ends_no_process_that_only_has_threads_of_its_own(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(signals, "_watchdog", ended.append)
    leaving(monkeypatch, lambda _: 0)
    stop = threading.Event()
    other = threading.Thread(target=stop.wait, args=(60,), name="another")
    other.start()
    try:
        assert launch(Opening(), settings.settings()) == 0
    finally:
        stop.set()
        other.join(60)
    assert ended == []


def test_nothing_is_collected_while_the_app_starts_and_again_once_it_reads_the_store(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    monkeypatch.setattr("fleettui.tui.terminal.can_show", lambda *_, **__: "")
    leaving(monkeypatch, lambda _: seen.append(gc.isenabled()))
    assert program.launch(Opening(), settings.settings()) == 0
    assert seen == [False]
    assert gc.isenabled()


async def test_the_collector_goes_on_once_the_app_has_begun(make_app: Make) -> None:
    garbage.rest()
    async with driven(make_app()):
        assert gc.isenabled()


def test_a_signal_is_the_exit_code(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leaving(monkeypatch, lambda app: app.exit(return_code=143))
    assert launch(Opening(), settings.settings()) == 143


def test_the_terminals_switches_are_set_before_the_app_is_loaded(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    monkeypatch.setattr("fleettui.tui.terminal.prepare", lambda _: order.append("prepared"))
    leaving(monkeypatch, lambda _: order.append("run"))
    launch(Opening(), settings.settings())
    assert order == ["prepared", "run"]


@pytest.mark.thorough
async def test_an_app_that_is_left_can_be_made_again(filled: Path, make_app: Make) -> None:
    for _ in range(2):
        async with driven(make_app()) as pilot:
            await pilot.press("q")


DRAWN = (
    "import sys, fleettui.__main__, fleettui.tui.launch, fleettui.tui.app, fleettui.tui.tabs.fleet, store.peek;"
    " from fleettui.planning.settings import of_the_program; of_the_program();"
)
"""Loads what the first frame of a plan needs."""


def loaded(told: str) -> list[str]:
    """Return the words that `told` prints where what the first frame needs is loaded."""
    found = subprocess.run((sys.executable, "-c", DRAWN + told), capture_output=True, text=True, check=True, timeout=60)
    return found.stdout.split()


def test_the_first_frame_of_a_plan_loads_neither_the_plan_nor_a_questions_keys() -> None:
    """What it needs is the row of the list; the rest is loaded behind it, when the store is opened or a key asks."""
    kept = ("fleettui.domain.plan", "fleettui.domain.scenario", "fleettui.reports.question.keys", "fleettui.hardware")
    work = ("fleettui.tui.task", "fleettui.domain.progress", "fleettui.reports.table", "fleettui.tui.modals")
    seen = (
        "fleettui.tui.shown",
        "fleettui.tui.tabs.delivery",
        "fleettui.reports.fleet_words",
        "fleettui.tui.clipboard",
    )
    assert loaded(f"print(*sorted(set({(*kept, *work, *seen)!r}) & set(sys.modules)))") == []


def test_before_the_first_frame_hardly_a_dataclass_is_made() -> None:
    """Each takes up to 2 ms, ten times as long as a tuple with names, which is what the first frame needs else."""
    found = loaded(
        "print(*sorted(kind.__name__ for name, one in sys.modules.items() if name.startswith(('fleettui', 'store'))"
        " for kind in vars(one).values() if isinstance(kind, type) and kind.__module__ == name and"
        " '__dataclass_fields__' in vars(kind)))"
    )
    assert found == ["Latency", "Limit", "Slo"]
