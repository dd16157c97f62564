from pathlib import Path

import pytest

from fleettui.domain.workload import Origin, Workload
from fleettui.errors import InputError
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.workload import build, from_metrics, show
from fleettui.workloads.library import load
from tests.workloads.scrapes import pair


def _show(source: str, output_share: float | None = None) -> Workload:
    return show(Context(), source=source, format=None, output_share=output_share)


def test_a_shipped_workload_comes_back_whole() -> None:
    assert _show("azure-2023-code") == load("azure-2023-code")


def test_a_list_of_totals_needs_the_share_of_output(tmp_path: Path) -> None:
    path = tmp_path / "totals.json"
    path.write_text("[[100, 0.5], [1000, 1.0]]")
    with pytest.raises(InputError, match="--output-share"):
        _show(str(path))
    assert _show(str(path), output_share=0.2).slices[0].lengths.output_share == 0.2


def test_traces_are_merged_under_a_name_and_an_origin(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    row = '{{"timestamp": {}, "input_tokens": 10, "output_tokens": 2}}\n'
    one.write_text("".join(row.format(at) for at in range(0, 10, 2)))
    two.write_text("".join(row.format(at) for at in range(1, 11, 2)))
    origin = Origin(source="here", licence="CC0-1.0")
    built = build(
        Context(),
        sources=(str(one), str(two)),
        name="both",
        origin=origin,
        slices=None,
        format=None,
        output_share=None,
        timing=None,
    )
    assert (built.name, built.origin) == ("both", origin)
    assert built.slices[0].lengths.n_samples == 10


def test_scrapes_become_a_workload_and_what_was_seen(tmp_path: Path) -> None:
    scrapes = tuple(pair(tmp_path, requests=[(100, 10)] * 60))
    measured = from_metrics(Context(), scrapes=scrapes, name="live", model_name=None, between=30.0, independent=False)
    assert (measured.workload.name, measured.workload.arrivals.mean_rate) == ("live", 2)
    assert measured.prefix_hit == 0.25
