"""Driving the app as a person would: it is started, waited for, and asked what stands on its screen."""

from __future__ import annotations

import inspect
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input, Static

from fleettui.domain.opening import Opening
from fleettui.planning import settings
from fleettui.tui.app import FleetApp
from fleettui.tui.launch import make
from fleettui.tui.tabs import VIEWS
from fleettui.tui.tabs.list_view import ListView
from fleettui.tui.tabs.row_list import RowList
from fleettui.tui.tabs.view import View
from fleettui.tui.use_case_thread import UseCaseThread
from tests.tui.frames import frame

SIZE = (80, 24)
KEY = {view.name: view.key for view in VIEWS}
"""The key that shows a view, by the view's name."""
SHEET = Path(inspect.getfile(FleetApp)).with_name(str(FleetApp.CSS_PATH))
"""The app's style sheet, for a screen that is tried without the app."""
PATIENCE = 20.0
"""Seconds after which what was waited for is thought never to come."""
STAYS = 3600.0
"""Seconds that a message stays, in place of the few that a person needs."""


def new(opening: Opening | None = None) -> FleetApp:
    """Return an app as the program makes it, with one worker; whoever calls closes it with `close`."""
    chosen = settings.settings()
    app = make(UseCaseThread(settings.database(chosen), 1), opening or Opening(), chosen)
    app.animation_level = "none"
    app.notify = partial(_notify, app.notify)  # type: ignore[method-assign]
    return app


def _notify(notify: Callable[..., None], message: str, **given: Any) -> None:
    """Tell a message that stays until the test is over, however slow the machine is."""
    notify(message, **{**given, "timeout": STAYS})


def close(app: FleetApp) -> None:
    """Leave nothing behind: no thread, no worker, no handler of signals."""
    app.restore_signals()
    app.state.thread.close()


@asynccontextmanager
async def driven(app: FleetApp, size: tuple[int, int] = SIZE) -> AsyncIterator[Pilot[int]]:
    """Run `app` on a screen of `size`, from the moment when its store has been read."""
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.store is not None)
        await settle(pilot)
        yield pilot
        if app.is_running:
            frame(app)


@asynccontextmanager
async def seen(app: FleetApp, name: str, size: tuple[int, int] = SIZE) -> AsyncIterator[tuple[Pilot[int], View]]:
    """Run `app` and see the view called `name`, from the moment when all that it shows has been read."""
    async with driven(app, size) as pilot:
        app.action_do(f"view_{name}")
        await until(pilot, lambda: app.seen == name)
        view = app.view
        if isinstance(view, ListView):
            await until(pilot, lambda: view.table.count is not None)
        await settle(pilot)
        yield pilot, view


def listed(view: View) -> list[Any]:
    """Return the rows of a view of a list that were read, the first first."""
    assert isinstance(view, RowList)
    assert view._rows is not None, "a list is read once the store is open"
    return [*view._rows.lines.values()]


async def frame_of_first(app: FleetApp) -> str:
    """Return the first frame that `app` draws, before it has looked into the store."""
    first: list[str] = []
    start = app._start

    async def started() -> None:
        first.append(frame(app))
        await start()

    app._start = started  # type: ignore[method-assign]
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: first)
        await settle(pilot)
    return first[0]


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until nothing is read any more; not while a question is open, whose answer is waited for."""
    for _ in range(2):  # the end of one reading may begin another
        await until(pilot, lambda: not pilot.app.workers)
        await pilot.pause()


async def until(pilot: Pilot[Any], condition: Callable[[], object], patience: float = PATIENCE) -> None:
    """Wait until `condition` holds; what is on the screen is told where it never does."""
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, in_vain(pilot.app)
        await pilot.pause()
        if not condition():
            await pilot.pause(0.01)


async def typed(pilot: Pilot[Any], text: str) -> None:
    """Put `text` into the line that has the focus, in place of what stands there, and press enter."""
    line = pilot.app.focused
    assert isinstance(line, Input), f"{line} takes no text"
    line.value = text
    await pilot.press("enter")


def lines(app: Any) -> list[str]:
    """Return what is on the screen, line by line."""
    return frame(app).split("\n")


def in_vain(app: Any) -> str:
    """Return what is seen and told where what was waited for never came."""
    return f"waited in vain; on the screen:\n{frame(app)}\n{told(app)}"


def told(app: Any) -> list[str]:
    """Return what the app has told in passing and still shows."""
    return [note.message for note in app._notifications]


def text_of(app: Any, selector: str) -> str:
    """Return what a widget that holds text shows."""
    return str(app.screen.query_one(selector, Static).visual)
