"""Every key of the table, pressed where it means something: each does what can be seen, none is a bug."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.tui import keys, tabs
from fleettui.tui.app import FleetApp
from fleettui.tui.keys import Shortcut
from tests.repeated import few
from tests.tui.driving import driven, settle, told, until
from tests.tui.frames import frame

SILENT = {"back", "unmark", "zoom"}
"""Verbs that may have nothing to do: nothing to go back from, no mark, no pane that can be large."""
Make = Callable[..., FleetApp]


def seen(app: FleetApp) -> tuple[object, ...]:
    """Return what a person could notice: the screen, what is told, and whether the app is there."""
    return frame(app), tuple(told(app)), len(app.screen_stack), app._exit


def places() -> list[tuple[Shortcut, str]]:
    """Return each key with the first view in which it means something, then those with another last one."""
    views = {key: [view.name for view in tabs.VIEWS if key in keys.keys_of(view.name)] for key in keys.KEYS}
    firsts = [(key, names[0]) for key, names in views.items()]
    return [*firsts, *((key, names[-1]) for key, names in views.items() if len(names) > 1)]


@pytest.mark.parametrize(("key", "view"), few(places(), 5), ids=lambda one: getattr(one, "verb", one))
async def test_a_key_does_something(
    filled: Path, make_app: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: Shortcut, view: str
) -> None:
    monkeypatch.chdir(tmp_path)
    app = make_app()
    told_of: list[Exception] = []
    monkeypatch.setattr(app, "tell_error", told_of.append)
    async with driven(app) as pilot:
        app.action_do(f"view_{view}")
        await settle(pilot)
        before = seen(app)
        await pilot.press(key.keys.split(",")[0])
        if key.verb not in SILENT:
            await until(pilot, lambda: seen(app) != before or told_of, patience=5.0)
        assert all(isinstance(one, InputError) for one in told_of), told_of
        for task in app.state.thread.alive:
            app.state.thread.cancel(task)
    app.state.thread.close()
