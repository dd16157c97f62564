"""Kept plans looked at again from the palette: each shows what its command prints."""

from pathlib import Path

import pytest

from fleettui.planning import backtest, kept_studies
from fleettui.reports.study_text import study_text
from fleettui.tui.app import FleetApp
from tests.tui.driving import driven
from tests.tui.test_palette_commands import PAGE, look_up


@pytest.mark.evidence
async def test_a_question_file_is_kept_run_again_and_restated(app: FleetApp, tmp_path: Path) -> None:
    file = tmp_path / "question.yaml"
    file.write_text("workload: azure-2023-conv\nrate: 20/s\nslo-ttft: 500ms\ngpu: h100\ntp: 8\nverify: false\n")
    async with driven(app) as pilot:
        assert (await look_up(pilot, "check", str(file), "")).startswith("holds: ")
        await pilot.press("escape")
        assert (await look_up(pilot, "check", str(file), "last")).startswith("holds against ")
        await pilot.press("escape")
        assert "the same to the byte" in await look_up(pilot, "rerun", "last")
        await pilot.press("escape")
        text = await look_up(pilot, "restate", "rate<21")
        store = await app.state.thread.store()
        (kept, _), *_more = kept_studies.list_studies(store)
        assert text == study_text(kept, PAGE)
        assert "0 of 2 plans change" in text


@pytest.mark.thorough
async def test_what_production_shows_of_a_plan_is_tested(
    app: FleetApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "question.yaml"
    file.write_text("workload: azure-2023-conv\nrate: 2/s\nslo-ttft: 1s\ngpu: h100\ntp: 8\nverify: false\n")
    monkeypatch.setattr(backtest, "CONSTANTS", ("base step time",))
    monkeypatch.setattr(backtest, "RUNS", 2)
    async with driven(app) as pilot:
        await look_up(pilot, "check", str(file), "")
        await pilot.press("escape")
        await app.state.open_plan("last")
        text = await look_up(pilot, "backtest", "tpot.p50=40ms,running=9 over 2h")
        store = await app.state.thread.store()
        (kept, _), *_more = kept_studies.list_studies(store)
        assert text == study_text(kept, PAGE)
        assert "--observed tpot.p50=40ms,running=9 --over 2h" in kept.question
