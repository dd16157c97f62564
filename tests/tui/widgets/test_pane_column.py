"""Columns of parts: dealt out by their lines, and the one with the focus is told apart without colour."""

import pytest

from fleettui.reports.panes import Pane
from fleettui.tui.app import FleetApp
from fleettui.tui.tabs.plan_aspect import dealt
from fleettui.tui.widgets.pane_column import GUTTER
from tests.tui.driving import driven, settle, text_of
from tests.tui.looking import ASPECTS


def part(lines: int) -> Pane:
    return Pane(text=lambda *_: "\n".join(["x"] * lines))


def test_each_part_stands_in_the_column_that_is_the_shortest_so_far() -> None:
    long, short, shorter = part(9), part(3), part(2)
    assert dealt([long, short, shorter], 2) == [[long], [short, shorter]]


async def test_what_is_shown_is_drawn_once_in_the_size_that_it_has_when_it_is_seen(
    app: FleetApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    widths: list[int] = []
    counted = Pane(text=lambda width, *_: widths.append(width) or "x")  # type: ignore[func-returns-value]
    monkeypatch.setattr("fleettui.tui.tabs.routing.RoutingView.panes", lambda *_: [counted])
    async with driven(app, (80, 24)) as pilot:
        for _ in range(2):
            app.action_do("view_routing")
            await settle(pilot)
            assert widths == [80 - GUTTER]
            widths.clear()
            app.action_do("view_fleet")
            await settle(pilot)
        assert widths == [], "a view that is left is not drawn again"


@pytest.mark.thorough
async def test_the_columns_title_says_where_the_focus_is_and_zoom_tells_it_in_all_of_the_width(app: FleetApp) -> None:
    async with driven(app, (120, 36)) as pilot:
        for name in ASPECTS:
            app.action_do(f"view_{name}")
            await settle(pilot)
            text, beside = (f"#view-{name} #aspect{place}-text" for place in ("", "-2"))
            assert (text_of(app, text)[:2], text_of(app, beside)[:2]) == ("==", "--")
            await pilot.press("tab")
            assert (text_of(app, text)[:2], text_of(app, beside)[:2]) == ("--", "==")
            narrow = len(text_of(app, beside).split("\n")[0])
            await pilot.press("z")
            await settle(pilot)
            assert len(text_of(app, beside).split("\n")[0]) > narrow
            await pilot.press("z")
