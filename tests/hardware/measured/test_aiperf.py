"""What aiperf and genai-perf export."""

import json
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.validation import Setup
from fleettui.errors import InputError
from fleettui.hardware.measured import read_points

SETUP = Setup(gpu="h100", engine="vllm", tp=1, model="llama-3.1-8b")
RUN: dict[str, Any] = {
    "request_throughput": {"unit": "requests/sec", "avg": 4.0},
    "request_latency": {"unit": "ms", "avg": 2040.0, "p50": 2000.0, "p99": 3000.0},
    "time_to_first_token": {"unit": "ms", "avg": 50.0, "p50": 45.0, "p99": 120.0},
    "inter_token_latency": {"unit": "ms", "avg": 10.0, "p50": 10.0, "p99": 14.0},
    "output_sequence_length": {"unit": "tokens", "avg": 200.0},
    "input_sequence_length": {"unit": "tokens", "avg": 550.0},
    "output_token_throughput": {"unit": "tokens/sec", "avg": 800.0},
    "request_count": {"unit": "requests", "avg": 200.0},
    "benchmark_duration": {"unit": "sec", "avg": 50.0},
    "error_request_count": None,
    "input_config": {
        "endpoint": {"model_names": ["meta-llama/Llama-3.1-8B-Instruct"], "streaming": True},
        "loadgen": {"concurrency": 8, "request_rate_mode": "concurrency_burst"},
    },
}
TABLE = """\
Metric,avg,min,max,p1,p5,p10,p25,p50,p75,p90,p95,p99,std
Request Latency (ms),2040.00,2000.00,3000.00,1,1,1,1,2000.00,1,1,1,3000.00,1
Time to First Token (ms),50.00,40.00,130.00,1,1,1,1,45.00,1,1,1,120.00,1
Inter Token Latency (ms),10.00,9.00,15.00,1,1,1,1,10.00,1,1,1,14.00,1
Output Sequence Length (tokens),200.00,200,200,1,1,1,1,200.00,1,1,1,200.00,0
Input Sequence Length (tokens),550.00,550,550,1,1,1,1,550.00,1,1,1,550.00,0

Metric,Value
Benchmark Duration (sec),50.00
Request Throughput (requests/sec),4.00
Request Count,200.00
Output Token Throughput (tokens/sec),800.00
"""


@pytest.mark.parametrize(
    ("config", "clients", "protocol"),
    [
        (RUN["input_config"], 8, "start"),
        ({"model_names": ["x"], "perf_analyzer": {"stimulus": {"concurrency": 9}}}, 9, "start"),
        ({"endpoint": {"model_names": ["x"]}, "loadgen": {"request_rate": 4.0}}, 8, "open"),
        ({}, 8, "start"),
    ],
)
def test_the_load_is_where_a_version_puts_it(
    tmp_path: Path, config: dict[str, Any], clients: int, protocol: str
) -> None:
    path = tmp_path / "profile_export_aiperf.json"
    path.write_text(json.dumps(RUN | {"input_config": config}), "utf-8")
    found = read_points(path, SETUP)
    (point,) = found.points
    assert found.format == "aiperf"
    assert (point.model, point.concurrency, point.protocol) == ("llama-3.1-8b", clients, protocol)
    assert (point.prompt_tokens, point.output_tokens, point.requests) == (550, 200, 200)
    assert (point.ttft, point.tpot, point.tpot_p99) == pytest.approx((0.05, 0.01, 0.014))


@pytest.mark.parametrize(
    ("metric", "why"),
    [({"avg": 8.0}, r"TPOT is no time \(got 'in no unit'\)"), (None, "TPOT is no time: line 1")],
)
def test_a_time_that_is_missing_or_has_no_unit_is_told(
    tmp_path: Path, metric: dict[str, float] | None, why: str
) -> None:
    path = tmp_path / "profile_export_aiperf.json"
    path.write_text(json.dumps(RUN | {"inter_token_latency": metric}), "utf-8")
    with pytest.raises(InputError, match=why):
        read_points(path, SETUP)


def test_a_client_that_was_saturated_is_no_run_of_its_clients(tmp_path: Path) -> None:
    path = tmp_path / "profile_export_aiperf.json"
    path.write_text(json.dumps(RUN | {"input_config": {"loadgen": {"concurrency": 16}}}), "utf-8")
    with pytest.raises(InputError, match=r"8\.16 of 16 clients were busy: the client was saturated") as caught:
        read_points(path, SETUP)
    assert len(str(caught.value).splitlines()) <= 3


def test_a_table_has_its_clients_of_littles_law(tmp_path: Path) -> None:
    path = tmp_path / "profile_export_aiperf.csv"
    path.write_text(TABLE, "utf-8")
    (point,) = read_points(path, SETUP).points
    assert (point.concurrency, point.prompt_tokens, point.output_tokens) == (8, 550, 200)
    assert (point.ttft, point.tpot, point.ttft_p99) == pytest.approx((0.05, 0.01, 0.12))
    assert point.output_throughput == 800.0


def test_a_time_in_another_unit_is_no_time(tmp_path: Path) -> None:
    path = tmp_path / "profile_export_aiperf.json"
    path.write_text(json.dumps(RUN | {"time_to_first_token": {"unit": "fortnight", "avg": 5}}), "utf-8")
    with pytest.raises(InputError, match="TTFT is no time"):
        read_points(path, SETUP)
