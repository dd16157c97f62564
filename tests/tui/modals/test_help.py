"""The help of every view: each of its keys, to be found and done, and the words of the screen."""

import pytest

from fleettui.tui import keys, tabs
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.help import GLOSSARY, Help, told
from tests.tui.driving import driven, lines, until
from tests.tui.frames import frame, rules


@pytest.mark.parametrize("entry", tabs.VIEWS, ids=lambda entry: entry.name)
def test_every_key_of_the_view_is_explained_and_no_other(entry: tabs.Entry) -> None:
    found = {(one.name, one.words) for one in told(entry)}
    for key in keys.KEYS:
        assert ((key.shown, key.help) in found) == (key in keys.keys_of(entry.name)), key.verb
    assert set(GLOSSARY) <= found
    names = [one.name for one in told(entry)]
    assert len(names) == len(set(names)), "a row is found by its name"


async def test_a_key_is_found_by_its_words_and_done(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Help))
        assert rules(frame(app), 80, 24) == []
        await pilot.press(*"marked", "space", *"side")
        await pilot.pause()
        assert lines(app)[2].startswith("|> c  ")
        assert "enter does c" in lines(app)[-2]
        await pilot.press("enter")
        await until(pilot, lambda: app.seen == "compare")


async def test_the_words_of_the_screen_are_explained(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Help))
        await pilot.press(*"mfu")
        await pilot.pause()
        assert any("arithmetic peak" in line for line in lines(app))
        await pilot.press("enter")
        await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_what_is_no_key_points_to_the_commands(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Help))
        await pilot.press(*"autoscale")
        await pilot.pause()
        assert "no key or word like that; esc : finds commands" in lines(app)[-2]
