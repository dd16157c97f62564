"""Moving about through the keys: help, a large pane, other views, back."""

import pytest

from fleettui.tui import saved_place
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.help import Help
from fleettui.tui.tabs import named
from tests.tui.driving import KEY, driven, lines, settle
from tests.tui.frames import frame


async def test_help_stands_over_the_view(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("question_mark")
        assert isinstance(app.screen, Help)
        assert "how many of which GPU" in lines(app)[0]
        await pilot.press(KEY["routing"])
        assert app.seen == "fleet"
        await pilot.press("escape")
        assert "[2 Fleet]" in lines(app)[1]


async def test_a_pane_is_made_large_and_small_again(app: FleetApp) -> None:
    async with driven(app) as pilot:
        before = frame(app)
        for key in ("z", "escape"):
            await pilot.press("z")
            await settle(pilot)
            assert app.screen.maximized is app.query_one("#fleet-candidates")
            assert sum("H100 tp8" in line for line in lines(app)) > 10
            await pilot.press(key)
            await settle(pilot)
            assert app.screen.maximized is None
            assert frame(app) == before


async def test_tabs_and_keys_are_clicked(app: FleetApp) -> None:
    async with driven(app) as pilot:
        for name in ("plans", "disagg", "fleet"):
            at = lines(app)[1].index(named(name).label)
            await pilot.click("#bar", offset=(at, 0))
            await settle(pilot)
            assert app.seen == name
        await pilot.click("#footer", offset=(lines(app)[-1].index("? help"), 0))
        await settle(pilot)
        assert isinstance(app.screen, Help)


@pytest.mark.thorough
async def test_a_theme_is_chosen_and_kept(app: FleetApp) -> None:
    async with driven(app) as pilot:
        assert app.theme != "nord"
        await pilot.press("ctrl+t", *"nord", "enter")
        await settle(pilot)
        assert app.theme == "nord"
        app.checkpoint()
        assert saved_place.load(app.folder / saved_place.FILE).theme == "nord"


async def test_the_answer_is_made_large_too(app: FleetApp) -> None:
    async with driven(app) as pilot:
        app.query_one("#fleet-answer").focus()
        await pilot.press("z")
        await settle(pilot)
        assert app.screen.maximized is app.query_one("#fleet-answer")
        assert lines(app)[0].startswith("~PASS at nominal speed")
        assert not any("candidates" in line for line in lines(app))


@pytest.mark.thorough
async def test_comparing_is_the_seventh_view_and_back_does_nothing_where_nothing_is_open(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("c")
        await settle(pilot)
        assert app.seen == "compare"
        await pilot.press(KEY["routing"], "escape")
        await settle(pilot)
        assert app.seen == "routing"
