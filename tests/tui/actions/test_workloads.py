from pathlib import Path

from fleettui.planning import workloads
from fleettui.reports.measured_text import measured_text
from fleettui.tui.app import FleetApp
from fleettui.workloads import library
from tests.tui.driving import driven, told
from tests.tui.test_palette_commands import PAGE, look_up
from tests.workloads.scrapes import pair


async def test_a_workload_is_measured_on_a_server_and_written(app: FleetApp, tmp_path: Path) -> None:
    scrapes, target = pair(tmp_path), tmp_path / "live.json"
    async with driven(app) as pilot:
        text = await look_up(pilot, "workload from-metrics", " ".join(scrapes), "5min", "", str(target))
    measured = await workloads.measure_workload(scrapes, name="live", between=300.0)
    assert library.parse(target.read_text("utf-8"), str(target)) == measured.workload
    assert text == measured_text(measured, str(target), PAGE)
    assert f"written: {target}" in told(app)
