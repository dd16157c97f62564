"""The JSON of `vllm bench serve`."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.validation import Setup
from fleettui.errors import InputError
from fleettui.hardware.measured import read_points

RUN: dict[str, Any] = {
    "date": "20261101-101010",
    "endpoint_type": "vllm",
    "backend": "vllm",
    "label": None,
    "model_id": "meta-llama/Llama-3.1-70B-Instruct",
    "tokenizer_id": "meta-llama/Llama-3.1-70B-Instruct",
    "num_prompts": 320,
    "tp": "4",
    "request_rate": "inf",
    "burstiness": 1.0,
    "max_concurrency": 32,
    "duration": 55.0,
    "completed": 320,
    "failed": 0,
    "total_input_tokens": 320 * 1024,
    "total_output_tokens": 320 * 256,
    "request_throughput": 5.818,
    "output_throughput": 1489.5,
    "mean_ttft_ms": 250.0,
    "median_ttft_ms": 210.0,
    "p99_ttft_ms": 900.0,
    "mean_tpot_ms": 20.0,
    "median_tpot_ms": 20.1,
    "p99_tpot_ms": 25.0,
}
SETUP = Setup(gpu="h100", dtype="fp8")


def write(folder: Path, *runs: dict[str, Any]) -> Path:
    path = folder / "bench.json"
    path.write_text("\n".join(map(json.dumps, runs)), "utf-8")
    return path


def test_a_run_is_read_with_its_statistics(tmp_path: Path) -> None:
    found = read_points(write(tmp_path, RUN), SETUP)
    (point,) = found.points
    assert found.format == "vllm-bench"
    assert (point.model, point.gpu, point.engine, point.dtype, point.tp) == ("llama-3.1-70b", "h100", "vllm", "fp8", 4)
    assert (point.prompt_tokens, point.output_tokens, point.concurrency) == (1024, 256, 32)
    assert (point.ttft, point.ttft_median, point.ttft_p99) == pytest.approx((0.25, 0.21, 0.9))
    assert (point.tpot, point.tpot_median, point.tpot_p99) == pytest.approx((0.02, 0.0201, 0.025))
    assert (point.protocol, point.requests, point.output_throughput) == ("start", 320, 1489.5)
    assert point.exact


def test_lengths_differ_where_the_mean_of_outputs_is_no_whole_number(tmp_path: Path) -> None:
    (point,) = read_points(write(tmp_path, RUN | {"total_output_tokens": 320 * 256 - 7}), SETUP).points
    assert not point.exact


@pytest.mark.parametrize("protocol", ["openai", "openai-chat"])
def test_a_protocol_is_no_engine(tmp_path: Path, protocol: str) -> None:
    """vLLM's own server is asked by it, too, where nobody says another backend."""
    path = write(tmp_path, RUN | {"backend": protocol, "endpoint_type": protocol})
    with pytest.raises(InputError, match="no engine is said: give --engine"):
        read_points(path, SETUP)
    (point,) = read_points(path, replace(SETUP, engine="sglang")).points
    assert point.engine == "sglang"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"mean_tpot_ms": float("nan")}, "TPOT is no time (got nan)"),
        ({"max_concurrency": None}, "neither clients nor a request rate are said: no steady load"),
        ({"failed": 40}, "40 requests failed of 360"),
        ({"spec_decode_acceptance_length": 2.1}, "speculation is not modelled (got True)"),
        ({"completed": 0}, "prompt tokens is no usable length"),
        ({"total_output_tokens": 10**400}, "output tokens is no usable length (got inf)"),
        ({"request_rate": 50.0, "max_concurrency": None}, "50 requests a second were asked for"),
        (
            {"duration": 100.0},
            "by its own figures 17.1 of 32 clients were busy: the client was saturated, or had too few",
        ),
        ({"max_concurrency": 512}, "by its own figures 320 of 512 clients were busy"),
    ],
)
def test_what_cannot_be_said_is_skipped_by_its_line(tmp_path: Path, changed: dict[str, Any], why: str) -> None:
    found = read_points(write(tmp_path, RUN, RUN | changed), SETUP)
    assert len(found.points) == 1
    assert [one.line for one in found.skipped] == [2]
    assert found.skipped[0].why.startswith(why)


def test_a_rate_that_was_kept_is_an_open_loop(tmp_path: Path) -> None:
    (point,) = read_points(write(tmp_path, RUN | {"request_rate": 3.3, "max_concurrency": None}), SETUP).points
    assert (point.protocol, point.request_rate) == ("open", 3.3)
    assert point.concurrency == round(3.3 * (0.25 + 255 * 0.02))
