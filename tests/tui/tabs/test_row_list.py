"""A view of a list that says no more than its rows: what holds for each, and the example at the head of its file."""

import textwrap
from pathlib import Path

import pytest

from fleettui.tui.app import FleetApp
from fleettui.tui.modals.page import Page
from fleettui.tui.row_words import NO_ROW
from fleettui.tui.tabs import jobs, make, row_list
from fleettui.tui.tabs.row_list import RowList
from store import Store
from tests.store import samples
from tests.tui.conftest import Make
from tests.tui.driving import lines, seen, settle, text_of, typed, until
from tests.tui.looking import NAMES

LISTS = tuple(name for name in NAMES if isinstance(make(name), RowList))
NOWHERE = "no-such-row"
WORDS = "When does each fleet run out?"


@pytest.fixture
def example(make_app: Make, filled: Path, monkeypatch: pytest.MonkeyPatch) -> FleetApp:
    """An app over a store with a study, whose jobs are the list of the example."""
    assert row_list.__doc__ is not None
    blocks = row_list.__doc__.split("\n\n    ", 1)[1].split("\n\nThat is")
    found: dict[str, type[RowList]] = {}
    exec(textwrap.dedent("    " + blocks[0]), found)
    monkeypatch.setattr(jobs, "JobsView", found["StudiesView"])
    with Store.open(filled) as store:
        store.add_study(samples.study(store.plans()[0].id))
    return make_app()


async def test_a_list_of_some_columns_tells_what_they_say(example: FleetApp) -> None:
    async with seen(example, "jobs") as (pilot, view):
        assert isinstance(view, RowList)
        assert view.line is not None
        handle = view.line.handle
        assert view.copied().split("\n") == [f"study {handle}", f"title   {WORDS}", "tables  1"]
        assert f"-- study {handle} --" in text_of(example, "#jobs-title")
        assert any(handle in line and WORDS in line for line in lines(example))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(example.screen, Page))
        assert any(f"title   {WORDS}" in line for line in lines(example))


async def test_a_list_with_nothing_beside_its_words_has_the_whole_width_for_them(example: FleetApp) -> None:
    with Store.open() as store:
        store.add_study(samples.study(store.plans()[0].id, title="word " * 20))
    async with seen(example, "jobs", (120, 36)) as (_, view):
        assert "word " * 19 in text_of(example, "#jobs-detail")
        assert isinstance(view, RowList)
        assert view.column == 118


@pytest.mark.parametrize("name", LISTS)
async def test_a_list_is_filtered_by_words_and_whole_again(app: FleetApp, name: str) -> None:
    async with seen(app, name) as (pilot, view):
        assert isinstance(view, RowList)
        count, rows, row = view.table.count, view._rows, view.line
        assert rows is not None
        known = NOWHERE if row is None else rows.tell([row]).rows[0][0].strip()
        for words in (NOWHERE, known):
            await pilot.press("slash")
            await typed(pilot, words)
            await settle(pilot)
            assert (NO_ROW.format(words) in "\n".join(lines(app))) == (words == NOWHERE)
            await pilot.press("escape")
            await until(pilot, lambda: view.table.count == count)
