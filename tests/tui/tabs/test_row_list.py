"""A view of a list that says no more than its rows: enter shows what is told of one."""

import pytest

from fleettui.tui.app import FleetApp
from fleettui.tui.modals.page import Page
from fleettui.tui.tabs.jobs import JobsView
from fleettui.tui.tabs.row_list import RowList
from tests.tui.driving import KEY, driven, lines, settle, text_of, until


async def test_enter_shows_what_is_told_of_a_row_on_a_page(app: FleetApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JobsView, "opened", RowList.opened)
    async with driven(app) as pilot:
        await pilot.press(KEY["jobs"])
        await until(pilot, lambda: app.query_one(JobsView).line is not None)
        await settle(pilot)
        title = text_of(app, "#jobs-title")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Page))
        assert title.split()[0] in " ".join(lines(app))
