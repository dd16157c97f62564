"""View 4: its text is what the report says, and the newest study of both ways stands in it."""

from dataclasses import replace

from fleettui.reports import panes
from fleettui.reports.disagg_text import APART_TAKEN, UNSEARCHED, disagg_panes
from fleettui.tui.app import FleetApp
from store import Store
from tests.reports.studies.test_disagg import study
from tests.tui.driving import KEY, driven, lines, settle, text_of, told, until


async def test_the_newest_study_of_both_ways_stands_in_it(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["disagg"])
        await settle(pilot)
        shown = app.state.shown
        assert shown is not None
        assert shown.candidate is not None
        among = disagg_panes(shown.candidate, shown.question, others=shown.answer.candidates)
        assert text_of(app, "#aspect-text") == panes.told(among, 78, "braille")
        assert "P99 TPOT, worst pool, by $/h" in text_of(app, "#aspect-text")
        assert UNSEARCHED.format(before="") in " ".join(text_of(app, "#aspect-text").split())
        with Store.open() as store:
            store.add_study(replace(study(), plan=shown.plan))
        await pilot.press(KEY["fleet"], KEY["disagg"])
        await until(pilot, lambda: "co-located is cheaper" in text_of(app, "#aspect-text"))
        page = " ".join(text_of(app, "#aspect-text").split())
        assert f"fleettui disagg {shown.answer.plan.handle} --link 25GB/s" in page, "as it can be typed"
        await pilot.press("i", "down", "enter")
        await until(pilot, lambda: app.state.draft.value("tp") == "4")
        assert app.state.draft.value("gpu") == "h100"
        assert APART_TAKEN in told(app)


async def test_editing_begins_at_the_token_budget(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["disagg"], "e")
        await until(pilot, lambda: any("token-budget" in line for line in lines(app)))
