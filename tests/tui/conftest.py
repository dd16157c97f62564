"""A store of real plans, made once and copied for each test, and the app over it, closed when the test is over."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs
import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.job import Job
from fleettui.domain.opening import Opening
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.make_plan import make_plan
from fleettui.planning.worker_pool import WorkerPool
from fleettui.tui.app import FleetApp
from fleettui.tui.state import AppState
from fleettui.tui.use_case_thread import UseCaseThread
from store import Store
from tests.made_once import made_once
from tests.planning import simulated
from tests.store import samples
from tests.tui import driving, frames, idle, parsed_once

parsed_once.install()

CACHE = os.environ.get("FLEETTUI_CACHE") or str(platformdirs.user_cache_path("fleettui"))
"""Where compiled code is kept; a place of its own for each test would be compiled for anew."""
XDG = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
UNSET = ("TMUX", "SSH_CONNECTION", "NO_COLOR", "FLEETTUI_ASCII", "FLEETTUI_QUIET", "LC_ALL", "LC_CTYPE")

CONV = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=100.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    tp=(8,),
    verify=False,
    step_law="roofline",
)
"""Answered by formula with some dozens of candidates, the newest plan of the store."""

Make = Callable[..., FleetApp]


@pytest.fixture(autouse=True)
def private_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep every file of the app in the test's folder, and the terminal of whoever runs the test out of it."""
    monkeypatch.setenv("FLEETTUI_CACHE", CACHE)
    monkeypatch.setenv("FLEETTUI_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "fleettui.db"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in XDG:
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    for name in UNSET:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("TEXTUAL_THEME", "textual-dark")


@pytest.fixture(autouse=True)
def only_frames(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw what a test looks at, and the last frame of each; all that a terminal would get where that is the matter."""
    if request.node.get_closest_marker("drawn") is None:
        frames.draw_only_frames(monkeypatch)


@pytest.fixture(autouse=True)
def idle_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Go on after a key as soon as the app has nothing to do."""
    idle.install(monkeypatch)


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of three plans: one proved, one whose proof was stopped, and the newest, by formula (`CONV`)."""

    def fill(file: Path) -> None:
        with Store.open(file) as store:
            samples.prove(store)
            asyncio.run(_plans(store, simulated.trace(file.parent)))

    return made_once(tmp_path_factory, "kept.db", fill)


async def _plans(store: Store, trace: str) -> None:
    async with WorkerPool() as pool:
        await _stopped(store, pool, trace)
        await make_plan(CONV, store=store, pool=pool)


async def _stopped(store: Store, pool: WorkerPool, trace: str, **changes: float) -> None:
    """Plan the requests of a trace, and stop when the proof is to begin."""

    def begun(_answer: Answer, _job: Job) -> None:
        work.cancel()

    asked = simulated.question(trace, name="stopped", **changes)
    work = asyncio.create_task(make_plan(asked, store=store, pool=pool, begun=begun))
    with pytest.raises(asyncio.CancelledError):
        await work


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The file of the test's own store, which is not there yet."""
    return tmp_path / "fleettui.db"


@pytest.fixture
def filled(kept: Path, database: Path) -> Path:
    """The test's own store, with the plans of `kept`."""
    shutil.copy(kept, database)
    return database


@pytest.fixture
def long_stopped(database: Path, trace: str) -> Path:
    """The test's own store, with a plan whose proof was stopped and takes seconds when it goes on."""

    async def stop() -> None:
        async with WorkerPool() as pool:
            with Store.open(database) as store:
                await _stopped(store, pool, trace, precision=0.002)

    asyncio.run(stop())
    return database


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """A file of some requests, whose fleets are simulated in a second."""
    return simulated.trace(tmp_path)


@pytest.fixture
def thread(filled: Path) -> Iterator[UseCaseThread]:
    """A started thread over the store of three plans, with one worker."""
    running = UseCaseThread(filled, 1)
    running.start()
    yield running
    running.close()


@pytest.fixture
def state(thread: UseCaseThread) -> AppState:
    """The state of an app in which nothing is shown yet."""
    return AppState(thread=thread)


@pytest.fixture
def make_app() -> Iterator[Make]:
    """Return a function that makes an app over the test's own store; it is closed when the test is over."""
    made: list[FleetApp] = []

    def make(opening: Opening | None = None) -> FleetApp:
        made.append(driving.new(opening))
        return made[-1]

    yield make
    for app in made:
        driving.close(app)


@pytest.fixture
def app(filled: Path, make_app: Make) -> FleetApp:
    """The app over the store of three plans."""
    return make_app()
