"""View 5: its text is what the report says of the fleet, in the width of the screen."""

from fleettui.reports.plan_aspects import power_text
from fleettui.tui.app import FleetApp
from fleettui.tui.tabs.power import PowerView
from tests.tui.driving import driven, settle, text_of


async def test_the_text_is_the_reports(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press("5")
        await settle(pilot)
        shown = app.state.shown
        assert shown is not None
        assert isinstance(app.view, PowerView)
        assert text_of(app, "#aspect-text") == power_text(shown.candidate, shown.question, 78)
