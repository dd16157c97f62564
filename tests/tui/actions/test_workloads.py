from pathlib import Path

import pytest
from textual.widgets import Input

from fleettui.planning import workloads
from fleettui.reports.measured_text import measured_text
from fleettui.tui.app import FleetApp
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.palette_commands import ENTRIES
from fleettui.workloads import library
from tests.tui.driving import driven, settle, text_of, told, until
from tests.tui.test_palette_commands import PAGE, answered, look_up
from tests.workloads.scrapes import pair


@pytest.mark.thorough
async def test_a_workload_is_measured_on_a_server_and_written(app: FleetApp, tmp_path: Path) -> None:
    scrapes, target = pair(tmp_path), tmp_path / "live.json"
    async with driven(app) as pilot:
        before = app.state.draft
        text = await look_up(pilot, "workload from-metrics", " ".join(scrapes), "5min", "", str(target))
        draft = app.state.draft
        assert [draft.value(name) for name in ("model", "slo-ttft")] == [
            before.value(name) for name in ("model", "slo-ttft")
        ]
    measured = await workloads.measure_workload(scrapes, name="live", between=300.0)
    assert library.parse(target.read_text("utf-8"), str(target)) == measured.workload
    assert text == measured_text(measured, str(target), PAGE)
    assert f"written: {target}" in told(app)
    assert draft.value("workload") == str(target)
    assert float(draft.value("rate").removesuffix("/s")) == pytest.approx(
        measured.workload.arrivals.mean_rate, rel=1e-4
    )
    assert measured.prefix_hit is not None
    assert draft.question().prefix_hit == pytest.approx(measured.prefix_hit, abs=0.001)


async def test_scrapes_that_do_not_do_are_refused_where_they_are_typed(app: FleetApp, tmp_path: Path) -> None:
    """Seen: one scrape was refused after three more lines, and all of them were lost."""
    before, after = pair(tmp_path)
    async with driven(app) as pilot:
        app.do(lambda: ENTRIES["workload from-metrics"][1](app))
        await answered(pilot, before)
        assert "x scrapes come in pairs" in text_of(app, "#prompt-help")
        for text in (f"{before} {after}", "", "", str(tmp_path / "live.json")):
            await answered(pilot, text)
        await until(pilot, lambda: isinstance(app.screen, Prompt) and "do not say when" in text_of(app, "#prompt-help"))
        assert app.screen.query_one(Input).value == f"{before} {after}"
        for text in (f"{before} {after}", "5min"):
            await answered(pilot, text)
        await pilot.press("enter")
        assert app.screen.query_one(Input).value == str(tmp_path / "live.json"), "what was typed before stands there"
        await pilot.press("escape")
        await settle(pilot)
