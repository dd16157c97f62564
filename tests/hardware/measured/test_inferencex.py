"""InferenceX's aggregated results."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from fleettui.hardware.measured import read_points

RUN: dict[str, Any] = {
    "hw": "h200-nb_1",
    "conc": 32,
    "model": "meta-llama/Llama-3.1-70B-Instruct",
    "framework": "trt",
    "precision": "fp8",
    "spec_decoding": "none",
    "disagg": False,
    "isl": 1024,
    "osl": 1000,
    "is_multinode": False,
    "tp": 4,
    "ep": 1,
    "dp_attention": "false",
    "output_tput_per_gpu": 388.0,
    "mean_ttft": 0.25,
    "median_ttft": 0.2,
    "p99_ttft": 1.1,
    "mean_tpot": 0.018,
    "median_tpot": 0.018,
    "p99_tpot": 0.02,
}
OTHERS = (
    RUN | {"spec_decoding": "mtp"},
    RUN | {"disagg": True},
    RUN | {"hw": "gb17"},
    RUN | {"output_tput_per_gpu": 200.0},
)
DIVIDED = RUN | {"model": "nvidia/DeepSeek-R1-0528-FP4-V2", "hw": "b200", "precision": "fp4", "dp_attention": "true"}


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_objects_and_rows_are_read_alike(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"agg.{suffix}"
    with path.open("w", encoding="utf-8", newline="") as file:
        if suffix == "json":
            json.dump([RUN, DIVIDED, *OTHERS], file)
        else:
            writer = csv.DictWriter(file, RUN)
            writer.writeheader()
            writer.writerows([RUN, DIVIDED, *OTHERS])
    found = read_points(path)
    point, divided = found.points
    assert found.format == "inferencex"
    assert (point.gpu, point.engine, point.dtype, point.tp) == ("h200", "trtllm", "fp8", 4)
    assert (point.prompt_tokens, point.output_tokens, point.uniform) == (922, 900, True)
    assert (point.ttft, point.tpot, point.ttft_p99) == pytest.approx((0.25, 0.018, 1.1))
    assert not point.attention_dp
    assert (divided.model, divided.dtype, divided.attention_dp) == ("deepseek-r1", "nvfp4", True)
    assert point.output_throughput == 4 * 388.0
    assert len(found.skipped) == len(OTHERS)
    assert found.skipped[-1].why.startswith("by its own figures 14.6 of 32 clients were busy")
