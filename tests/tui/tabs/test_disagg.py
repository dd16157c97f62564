"""View 4: its text is what the report says, and the newest study of both ways stands in it."""

from dataclasses import replace

from fleettui.reports.disagg_text import UNSEARCHED, disagg_text
from fleettui.tui.app import FleetApp
from store import Store
from tests.reports.studies.test_disagg import study
from tests.tui.driving import KEY, driven, lines, settle, text_of, until


async def test_the_newest_study_of_both_ways_stands_in_it(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["disagg"])
        await settle(pilot)
        shown = app.state.shown
        assert shown is not None
        assert text_of(app, "#aspect-text") == disagg_text(shown.candidate, shown.question, 78)
        assert UNSEARCHED in " ".join(text_of(app, "#aspect-text").split())
        with Store.open() as store:
            store.add_study(replace(study(), plan=shown.plan))
        await pilot.press(KEY["fleet"], KEY["disagg"])
        await until(pilot, lambda: "co-located is cheaper" in text_of(app, "#aspect-text"))


async def test_editing_begins_at_the_token_budget(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["disagg"], "e")
        await until(pilot, lambda: any("token-budget" in line for line in lines(app)))
