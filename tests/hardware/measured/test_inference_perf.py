"""inference-perf's report of a stage."""

import json
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.validation import Setup
from fleettui.hardware.measured import read_points

SETUP = Setup(model="llama-3.1-8b", gpu="h100", engine="vllm", tp=1)


def stage(**load: float) -> dict[str, Any]:
    """Return the report of a stage of 100 requests, times in seconds."""
    times = {"mean": 0.05, "min": 0.04, "max": 0.2, "median": 0.045, "p99": 0.15}
    per_token = {"mean": 0.01, "min": 0.009, "max": 0.02, "median": 0.01, "p99": 0.015}
    return {
        "benchmark_time_seconds": 52.0,
        "load_summary": {"count": 100, "schedule_delay": None, "send_duration": 50.0} | load,
        "successes": {
            "count": 100,
            "latency": {"time_to_first_token": times, "time_per_output_token": per_token},
            "throughput": {"output_tokens_per_sec": 200.0, "requests_per_sec": 1.9},
            "prompt_tokens": {"total": 51200, "mean": 512.0},
            "output_len": {"mean": 101.0},
        },
        "failures": {"count": 0},
    }


def test_a_stage_is_a_run_in_seconds(tmp_path: Path) -> None:
    path = tmp_path / "stage_0_lifecycle_metrics.json"
    stages = [
        stage(requested_rate=2.0, achieved_rate=1.98),
        stage(requested_rate=20.0, achieved_rate=2.0),
        stage(requested_rate=1000.0, achieved_rate=2.0, concurrency=2),
        stage(),
        stage(concurrency=4),
    ]
    path.write_text(json.dumps(stages), "utf-8")
    found = read_points(path, SETUP)
    assert found.format == "inference-perf"
    assert [(one.line, one.protocol, one.concurrency) for one in found.points] == [(1, "open", 2), (3, "start", 2)]
    assert [one.line for one in found.skipped] == [2, 4, 5]
    assert found.skipped[-1].why.startswith("by its own figures 2.02 of 4 clients were busy")
    point = found.points[0]
    assert (point.prompt_tokens, point.output_tokens, point.requests) == (512, 101, 100)
    assert (point.ttft, point.tpot, point.ttft_p99) == pytest.approx((0.05, 0.01, 0.15))
