"""Acceptance from what a server showed: counts a line, or its counters by position."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fleettui.domain.speculation import speculation
from fleettui.errors import InputError
from fleettui.hardware.acceptance import rates, with_rates
from fleettui.reports.question.keys import BY_NAME

METRICS = """\
# TYPE vllm:spec_decode_num_drafts_total counter
vllm:spec_decode_num_drafts_total{engine="0",model_name="m"} 600.0
vllm:spec_decode_num_drafts_total{engine="1",model_name="m"} 400.0
vllm:spec_decode_num_drafts_created{engine="0",model_name="m"} 1.76e+09
vllm:spec_decode_num_draft_tokens_total{engine="0",model_name="m"} 3000.0
vllm:spec_decode_num_accepted_tokens_total{engine="0",model_name="m"} 1490.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",model_name="m",position="0"} 500.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="1",model_name="m",position="0"} 290.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",model_name="m",position="1"} 480.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",model_name="m",position="2"} 220.0
"""


def written(folder: Path, text: str) -> str:
    path = folder / "accepted.csv"
    path.write_text(text)
    return str(path)


def test_counts_of_a_trace_are_what_drafts_commit_on_average(tmp_path: Path) -> None:
    counts = np.random.default_rng(1).binomial(3, 0.6, 5000)
    path = written(tmp_path, "accepted\n" + "\n".join(map(str, counts)))
    assert rates(path) == tuple(float((counts >= least).mean()) for least in (1, 2, 3))
    said = speculation(with_rates(f"mtp:3@{path}"))
    assert said.committed == pytest.approx(1.0 + counts.mean(), abs=1e-3)
    sampled = speculation(with_rates(f"mtp:3@{path}:sampled"))
    assert sampled.variance == pytest.approx(counts.var(), rel=1e-3)


def test_counters_of_a_server_are_summed_over_its_engines(tmp_path: Path) -> None:
    path = written(tmp_path, METRICS)
    assert rates(path) == (0.79, 0.48, 0.22)
    assert with_rates(f"mtp:2@{path}") == "mtp:2@79%/48%"
    assert BY_NAME["speculative"].read(f"mtp:auto@{path}:sampled", "--speculative") == "mtp:auto@79%/48%/22%:sampled"


@pytest.mark.parametrize("text", ["mtp:3@70%", "mtp:3@0.79/.48/2.2e-1:sampled", "mtp:3", "h100"])
def test_what_names_no_file_stays_as_it_is(text: str) -> None:
    assert with_rates(text) == text


@pytest.mark.parametrize(
    ("text", "drafts", "what"),
    [
        ("1\n" * 99, 1, "so few verifications"),
        ("0\n" * 200, 1, "no draft was accepted"),
        ("1\n" * 200, 2, "no draft at position 2 was accepted"),
        ("1\n" * 200 + "-1\n", 1, "line 201"),
        ("1\n" * 200 + "16\n", 1, "a number from 0 to 15"),
        ("", 1, "so few verifications"),
    ],
)
def test_a_file_that_shows_no_rates_is_refused(tmp_path: Path, text: str, drafts: int, what: str) -> None:
    with pytest.raises(InputError, match=what):
        with_rates(f"mtp:{drafts}@{written(tmp_path, text)}")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file that can be read") as refusal:
        BY_NAME["speculative"].read(f"mtp:3@{tmp_path / 'none.csv'}", "--speculative")
    assert "none.csv" in str(refusal.value)
