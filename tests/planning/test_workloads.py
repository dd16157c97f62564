from pathlib import Path

import pytest

from fleettui.domain.workload import Origin
from fleettui.errors import InputError
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.workloads import build_workload, measure_workload, shipped, show_workload
from fleettui.workloads import library
from tests.workloads.scrapes import pair


def test_what_is_shipped_names_its_source_and_licence() -> None:
    found = shipped()
    assert [workload.name for workload in found] == list(library.names())
    assert all(workload.origin.source and workload.origin.licence for workload in found)


async def test_a_shipped_one_is_shown_as_it_is() -> None:
    assert await show_workload("azure-2023-code") == library.load("azure-2023-code")


async def test_one_built_is_what_its_file_says(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    row = '{{"timestamp": {}, "input_tokens": 10, "output_tokens": 2}}\n'
    trace.write_text("".join(row.format(at) for at in range(10)))
    async with WorkerPool() as pool:
        built = await build_workload([str(trace)], name="mine", origin=Origin(source="here"), pool=pool)
        (tmp_path / "mine.json").write_text(library.dump(built))
        assert await show_workload(str(tmp_path / "mine.json"), pool=pool) == built


async def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        await show_workload(str(tmp_path / "trace.csv"))


async def test_one_measured_on_a_server_is_what_its_file_says(tmp_path: Path) -> None:
    async with WorkerPool() as pool:
        measured = await measure_workload(pair(tmp_path), name="live", between=300.0, pool=pool)
        (tmp_path / "live.json").write_text(library.dump(measured.workload))
        assert await show_workload(str(tmp_path / "live.json"), pool=pool) == measured.workload
        with pytest.raises(InputError, match="--between"):
            await measure_workload(pair(tmp_path), name="live", pool=pool)
