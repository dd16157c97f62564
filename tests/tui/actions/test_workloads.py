from pathlib import Path

import pytest

from fleettui.planning import workloads
from fleettui.reports.measured_text import measured_text
from fleettui.tui.app import FleetApp
from fleettui.workloads import library
from tests.tui.driving import driven, told
from tests.tui.test_palette_commands import PAGE, look_up
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
