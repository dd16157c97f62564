"""View 5: its text is what the report says, the newest study of caps stands in it, and one of its caps is taken."""

from dataclasses import replace

import pytest

from fleettui.reports import panes
from fleettui.reports.power_text import power_panes
from fleettui.tui.app import FleetApp
from store import Store
from tests.reports.studies.test_power import study
from tests.tui.driving import KEY, driven, lines, settle, text_of, told, until


@pytest.mark.thorough
async def test_the_newest_study_of_caps_stands_in_it_and_a_cap_is_taken(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["power"])
        await settle(pilot)
        shown = app.state.shown
        assert shown is not None
        assert shown.candidate is not None
        handle = shown.answer.plan.handle
        among = power_panes(shown.candidate, shown.question, others=shown.answer.candidates, plan=handle)
        assert text_of(app, "#aspect-text") == panes.told(among, 78, "braille")
        assert "worst pool, by power" in text_of(app, "#aspect-text")
        assert "on less power: not capped yet" in " ".join(text_of(app, "#aspect-text").split())
        await pilot.press("i")
        await until(pilot, lambda: any("has a row to take" in one for one in told(app)))
        with Store.open() as store:
            store.add_study(replace(study(), plan=shown.plan))
        await pilot.press(KEY["fleet"], KEY["power"])
        await until(pilot, lambda: "TTFT at each cap" in text_of(app, "#aspect-text"))
        await pilot.press("i", "enter")
        await until(pilot, lambda: app.state.draft.value("power-cap") == "560W")


async def test_editing_begins_at_the_cap(app: FleetApp) -> None:
    async with driven(app) as pilot:
        await pilot.press(KEY["power"], "e")
        await until(pilot, lambda: any("power-cap" in line for line in lines(app)))
