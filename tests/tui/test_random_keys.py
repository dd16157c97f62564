"""Keys at random, as a cat presses them: the app goes on, its frame stays where it is, and it closes."""

import random
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from fleettui.errors import FleettuiError
from fleettui.tui import keys
from fleettui.tui.app import FleetApp
from fleettui.tui.tabs import named
from tests.repeated import few
from tests.tui.driving import KEY, driven, lines, settle, until
from tests.tui.frames import frame, rules

COUNT, SEEDS = 40, 25
"""How many keys at once, and how often at each size; all but the first time are evidence."""
SIZES = ((80, 24), (120, 36), (50, 15))
LEAVES = {"quit", "plan", "proof", "resume"}
"""Verbs that leave the app, or begin work that goes on after the test."""
MOVES = ("j", "k", "g", "G", "h", "l", "up", "down", "left", "right", "home", "end", "pageup", "pagedown")
OTHERS = ("enter", "tab", "shift+tab", "escape", "escape", "escape", "ctrl+d", "ctrl+u", "x", KEY["compare"], "d")
Make = Callable[..., FleetApp]


def pressable() -> list[str]:
    """Return the keys of the table, as Textual names them, and those that move."""
    table = (key.keys.split(",")[0] for key in (*keys.VIEW_KEYS, *keys.KEYS) if key.verb not in LEAVES)
    return [*sorted(set(table) - {""}), *MOVES, *OTHERS]


@pytest.mark.parametrize("seed", few(range(SEEDS), 1))
@pytest.mark.parametrize("size", few(SIZES, 1, whole=True), ids=lambda size: f"{size[0]}x{size[1]}")
async def test_no_key_at_any_time_breaks_the_app(
    filled: Path, make_app: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], seed: int
) -> None:
    monkeypatch.chdir(tmp_path)
    chance, known = random.Random(f"{size} {seed}"), pressable()
    app, pressed = make_app(), []
    raised: list[Exception] = []
    monkeypatch.setattr(app, "tell_error", raised.append)
    async with driven(app, size) as pilot:
        for _ in range(COUNT):
            pressed.append(chance.choice(known))
            await pilot.press(pressed[-1])
            text = frame(app)
            assert rules(text, *size) == [], f"after {pressed[-8:]}:\n{text}"
            if len(app.screen_stack) == 1 and app.screen.maximized is None:
                assert f"[{named(app.seen).number} " in lines(app)[1], f"after {pressed[-8:]}:\n{text}"
        assert app.is_running
    bugs = [error for error in raised if not isinstance(error, FleettuiError)]
    assert bugs == [], f"{pressed}"
    app.state.thread.close()
    assert "use cases" not in {thread.name for thread in threading.enumerate()}


WORDS = ("colon", *"gpu list", "enter", "a", *"azure-2023-code", "slash", *"cost", "e", "o", *"none.csv", "t", "tab")
"""Keys that open something, and what is typed into it."""
UNTIMED = frozenset("qrRvwy")
"""Keys that leave the app or whose outcome is of the place and the moment, such as the handle of a new plan."""


def words(chance: random.Random) -> list[str]:
    """Return keys that open forms, lists and views, and type and choose there."""
    known = [key for key in (*WORDS, *pressable()) if key not in UNTIMED]
    return chance.choices(known, k=COUNT)


async def outcome(app: FleetApp, keys: list[str], *, at_once: bool) -> str:
    """Return the frame after some keys, typed at once or one by one; where they began work, what that is.

    A frame tells how far work has come, which is of the moment.
    """
    async with driven(app, SIZES[0]) as pilot:
        for key in keys:
            app.post_message(events.Key(key, key if len(key) == 1 else None))
            if not at_once:
                await given(app, pilot)
        await given(app, pilot)
        for _ in range(8):
            await pilot.press("escape")
            await pilot.pause()
        begun = list(app.state.thread.tasks)
        for task in begun:
            await app.state.cancel(task)
        await until(pilot, lambda: not app.state.thread.alive)
        await settle(pilot)
        if begun:
            return "\n".join(f"{task.kind}: {task.title}" for task in begun)
        app.clear_notifications()
        await pilot.pause()
        return frame(app)


async def given(app: FleetApp, pilot: Pilot[int]) -> None:
    """Wait until every key was given and answered."""
    await pilot.pause()
    await until(pilot, lambda: app._typing._giving is None)
    await pilot.pause()


@pytest.mark.evidence
@pytest.mark.parametrize("seed", few(range(SEEDS), 1))
async def test_keys_typed_at_once_come_to_what_they_come_to_one_by_one(
    filled: Path, make_app: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.chdir(tmp_path)
    keys, before = words(random.Random(seed)), tmp_path / "before.db"
    shutil.copy(filled, before)
    found = []
    for at_once in (False, True):
        shutil.copy(before, filled)
        shutil.rmtree(tmp_path / "state", ignore_errors=True)
        app = make_app()
        found.append(await outcome(app, keys, at_once=at_once))
        app.state.thread.close()
    assert found[0] == found[1], f"{keys}"
