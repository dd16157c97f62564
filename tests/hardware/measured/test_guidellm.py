"""GuideLLM's benchmarks.json."""

import json
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.validation import Setup
from fleettui.hardware.measured import read_points

SETUP = Setup(gpu="h200", engine="vllm", tp=1)


def benchmark(strategy: dict[str, Any], **metrics: Any) -> dict[str, Any]:
    """Return a benchmark with the means of its metrics, times in milliseconds."""
    means = {
        "prompt_token_count": 1000.2,
        "output_token_count": 200,
        "time_to_first_token_ms": 80.0,
        "time_per_output_token_ms": 9.0,
        "inter_token_latency_ms": 8.0,
        "output_tokens_per_second": 900,
    } | metrics
    made: dict[str, Any] = {
        name: {"successful": {"mean": mean, "median": mean, "percentiles": {"p99": 2 * mean}}}
        for name, mean in means.items()
    }
    made["request_totals"] = {"successful": 80, "errored": 0, "incomplete": 3, "total": 83}
    return {"config": {"strategy": strategy}, "duration": 40.0, "metrics": made}


def test_each_benchmark_is_a_run(tmp_path: Path) -> None:
    path = tmp_path / "benchmarks.json"
    runs = [
        benchmark({"type_": "synchronous"}) | {"duration": 134.0},
        benchmark({"type_": "concurrent", "streams": 4, "startup_duration": 5.0}),
        benchmark({"type_": "throughput"}),
        benchmark({"type_": "constant", "rate": 2.0}),
        benchmark({"type_": "poisson", "rate": 30.0}),
        benchmark({"type_": "concurrent", "streams": 4}, inter_token_latency_ms=-1.0),
        benchmark({"type_": "concurrent", "streams": 8}),
    ]
    report = {"metadata": {"version": 1}, "args": {"model": "Qwen/Qwen3-32B"}, "benchmarks": runs}
    path.write_text(json.dumps(report), "utf-8")
    found = read_points(path, SETUP)
    assert found.format == "guidellm"
    assert [(one.line, one.concurrency, one.protocol) for one in found.points] == [
        (1, 1, "start"),
        (2, 4, "steady"),
        (4, round(2 * (0.08 + 199 * 0.008)), "open"),
    ]
    assert [one.line for one in found.skipped] == [3, 5, 6, 7]
    assert found.skipped[-1].why.startswith("by its own figures 3.34 of 8 clients were busy")
    point = found.points[0]
    assert (point.model, point.prompt_tokens, point.requests) == ("qwen3-32b", 1000, 80)
    assert (point.ttft, point.tpot, point.tpot_p99) == pytest.approx((0.08, 0.008, 0.016))


def test_an_earlier_version_has_its_strategy_and_its_totals_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "benchmarks.json"
    run = benchmark({"type_": "concurrent", "streams": 4})
    run |= {"args": run.pop("config"), "request_totals": run["metrics"].pop("request_totals")}
    path.write_text(json.dumps({"benchmarks": [run]}), "utf-8")
    (point,) = read_points(path, Setup(model="qwen3-32b", gpu="h200", engine="vllm", tp=1, dtype="bf16")).points
    assert (point.concurrency, point.requests) == (4, 80)
    assert point.tpot == pytest.approx(0.008)
