"""Labels through the keys: a name, a note, tags."""

from pathlib import Path

import pytest
from textual.widgets import Input

from fleettui.tui.app import FleetApp
from fleettui.tui.modals.prompt import Prompt
from store import Store
from tests.tui.conftest import Make
from tests.tui.driving import driven, lines, settle, text_of, told, typed, until


def asks(app: FleetApp, label: str) -> bool:
    return isinstance(app.screen, Prompt) and text_of(app, "#prompt-label").startswith(label)


async def test_a_name_then_a_note(app: FleetApp, filled: Path) -> None:
    async with driven(app) as pilot:
        await pilot.press("N")
        await until(pilot, lambda: asks(app, "name"))
        await typed(pilot, "spring")
        await until(pilot, lambda: asks(app, "note"))
        await typed(pilot, "OPS-1 [why]")
        await settle(pilot)
        assert " spring  azure-2023-conv" in lines(app)[0]
        assert not app.state.edited, "a label is no part of the question"
        await pilot.press("N")
        await until(pilot, lambda: asks(app, "name"))
        assert app.screen.query_one(Input).value == "spring"
        await pilot.press("enter")
        await until(pilot, lambda: asks(app, "note"))
        await typed(pilot, "")
        await settle(pilot)
        await pilot.press("N")
        await until(pilot, lambda: asks(app, "name"))
        await pilot.press("escape")
        await settle(pilot)
        assert app.screen is app.base, "who leaves the name is not asked for a note"
    with Store.open(filled) as store:
        assert (store.row("last").name, store.row("last").note) == ("spring", "")


@pytest.mark.thorough
async def test_tags_come_and_go(app: FleetApp, filled: Path) -> None:
    async with driven(app) as pilot:
        await pilot.press("T")
        await until(pilot, lambda: asks(app, "tags"))
        assert "no tag yet" in text_of(app, "#prompt-help")
        await typed(pilot, "prod  spring")
        await settle(pilot)
        await pilot.press("T")
        await until(pilot, lambda: asks(app, "tags"))
        assert "now: prod spring" in text_of(app, "#prompt-help")
        await typed(pilot, "-prod may")
        await settle(pilot)
        await pilot.press("T")
        await until(pilot, lambda: asks(app, "tags"))
        await typed(pilot, "-none")
        await until(pilot, lambda: told(app))
        assert "none" in told(app)[0]
    with Store.open(filled) as store:
        assert set(store.row("last").tags) == {"may", "spring"}


async def test_the_example_takes_no_label(make_app: Make) -> None:
    app = make_app()
    async with driven(app) as pilot:
        await pilot.press("N")
        await until(pilot, lambda: told(app))
        await pilot.press("T")
        await until(pilot, lambda: len(told(app)) == 2)
        assert all(words.startswith("there is no kept plan here") for words in told(app))
