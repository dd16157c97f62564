"""View 3: its text is what the report says of the fleet, in the width of the screen."""

from fleettui.reports.plan_aspects import routing_text
from fleettui.tui.app import FleetApp
from fleettui.tui.tabs.routing import RoutingView
from tests.tui.driving import KEY, driven, settle, text_of


async def test_the_text_is_the_reports(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["routing"])
        await settle(pilot)
        shown = app.state.shown
        assert shown is not None
        assert isinstance(app.view, RoutingView)
        assert text_of(app, "#aspect-text") == routing_text(
            shown.candidate, shown.question, 78, others=shown.answer.candidates
        )
