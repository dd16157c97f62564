"""Runs of servers and simulators: both forms, what is skipped, and what is refused in words."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from fleettui.errors import InputError
from fleettui.workloads import served_runs
from fleettui.workloads.served_runs import read_run

BENCH: dict[str, Any] = {
    "request_rate": "inf",
    "max_concurrency": 2,
    "input_lens": [100, 200, 300, 0],
    "output_lens": [3, 1, 4, 4],
    "ttfts": [0.5, 0.25, 1.0, 0.1],
    "itls": [[0.25, 0.25], [], [0.5, 0.5, 0.5], [0.1]],
    "errors": ["", "", "boom", ""],
}


def written(tmp_path: Path, found: Any) -> Path:
    path = tmp_path / "run.json"
    text = found if isinstance(found, str) else json.dumps(found)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_bench_with_times_is_read_by_its_arrivals(tmp_path: Path) -> None:
    found = read_run(written(tmp_path, BENCH | {"start_times": [1010.0, 1008.0, 1009.0, 1011.0]}))
    rows = [(one.place, one.arrival, one.prompt, one.output, one.ttft, one.e2e) for one in found.requests]
    assert rows == [(1, 0.0, 200, 1, 0.25, 0.25), (0, 2.0, 100, 3, 0.5, 1.0)]
    assert found.skipped == (("failed", 1), ("with tokens that cannot be", 1))
    assert found.clients == 0


def test_a_bench_without_times_was_sent_by_its_clients(tmp_path: Path) -> None:
    assert read_run(written(tmp_path, BENCH)).clients == 2
    with pytest.raises(InputError, match="nothing says when each request was sent"):
        read_run(written(tmp_path, BENCH | {"request_rate": 4.0}))
    with pytest.raises(InputError, match="no number of clients"):
        read_run(written(tmp_path, BENCH | {"max_concurrency": "many"}))


def test_json_lines_are_read_whatever_their_keys_and_bad_rows_are_counted(tmp_path: Path) -> None:
    good = {"arrived_at": 7, "num_prefill_tokens": 9, "num_decode_tokens": 2, "ttft": 0.5, "request_e2e_time": 0.75}
    bad = [{**good, "ttft": "soon"}, {**good, "ttft": 0.9}, {**good, "num_prefill_tokens": 1.5}, {"arrived_at": 3}]
    lines = [*(json.dumps(one) for one in (*bad, good)), "no json", "[1]", '{"arrived_at": 1e999}', ""]
    found = read_run(written(tmp_path, "\n".join(lines)))
    assert [(one.place, one.prompt, one.e2e) for one in found.requests] == [(4, 9, 0.75)]
    assert dict(found.skipped) == {
        "without arrival": 3,
        "without input_tokens": 1,
        "without ttft": 1,
        "with times that cannot be": 1,
        "with tokens that cannot be": 1,
    }


def test_a_zipped_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run.json.gz"
    path.write_bytes(gzip.compress(json.dumps(BENCH).encode()))
    assert len(read_run(path).requests) == 2


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ("", "the file is empty"),
        ("{}", "no row is a served request"),
        ("\x80 not json", "no row is a served request"),
        (BENCH | {"ttfts": [0.5]}, "the lists differ in length"),
        ({name: value for name, value in BENCH.items() if name != "itls"}, "times between tokens are missing"),
        ('{"arrival": 1, "input_tokens": 9, "output_tokens": 9, "ttft": 1, "e2e": 1e9}', "takes too long"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path: Path, found: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_run(written(tmp_path, found))


def test_size_has_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_runs, "MOST_REQUESTS", 1)
    with pytest.raises(InputError, match="the run is too long"):
        read_run(written(tmp_path, BENCH))
    monkeypatch.setattr(served_runs, "LARGEST", 9)
    with pytest.raises(InputError, match="the file is too large"):
        read_run(written(tmp_path, BENCH))
    with pytest.raises(InputError, match="no such file"):
        read_run(tmp_path / "none.json")
