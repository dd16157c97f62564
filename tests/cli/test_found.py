"""Cases that misled those who tried the program, each by its number in the list of what was found, by formula."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]

CONV = ("plan", "azure-2023-conv", "--no-verify", "--pools", "1")
LARGE = (*CONV, "--rate", "100/s", "--slo-ttft", "500ms", "--model", "llama-3.1-70b", "--gpu", "h100")
MIXED = (
    "--dtype",
    "fp8",
    "--gpu",
    "h100,a100",
    "--max-gpus",
    "h100=64,a100=40",
    "--slo-ttft",
    "1s",
    "--slo-tpot",
    "50ms",
)


@pytest.fixture
def planned(run: Run) -> Callable[..., dict[str, Any]]:
    """Return what a command prints as JSON."""

    def plan(*words: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(run(*words, "--json")[1])
        return found

    return plan


@pytest.mark.evidence
def test_1_no_split_comes_from_an_engine_setting(planned: Callable[..., dict[str, Any]]) -> None:
    """vLLM's own settings on that GPU are the default, and more replicas to choose from are never dearer."""
    plain = planned(*LARGE, "--tp", "8")["answer"]
    typed = planned(*LARGE, "--tp", "8", "--token-budget", "8192", "--max-num-seqs", "1024")["answer"]
    wider = planned(*LARGE, "--tp", "4,8")["answer"]
    assert typed["fleet"] == plain["fleet"]
    assert wider["cost_per_hour"] <= plain["cost_per_hour"]
    assert len(wider["fleet"]["pools"]) == 1


def test_2_a_fleet_that_suffices_in_half_of_the_cases_is_not_simply_enough(run: Run) -> None:
    _, out, _ = run(*CONV, "--rate", "60/s", "--model", "llama-3.1-70b", *MIXED)
    share = re.search(r"suffice in (\d+)% of the cases, (\d+) \(\$\d+/h\) in 90%", out)
    assert share is not None
    assert int(share[1]) < 80
    assert "PASS at nominal speed" in out
    assert re.search(r"^~?PASS  ", out, re.MULTILINE) is None
    assert "are enough" not in run("report", "last", "--format", "md")[1]


def test_4_availability_is_that_of_a_node(planned: Callable[..., dict[str, Any]]) -> None:
    """Two spares, not five: the eight GPUs of a replica share their node's fate."""
    failing = planned(*LARGE, "--tp", "8", "--availability", "98.7%", "--availability-target", "99.9%")
    (pool,) = failing["answer"]["fleet"]["pools"]
    assert failing["redundancy"]["of"] == "node"
    assert pool["spares"] == 2


def test_5_a_token_costs_what_the_day_makes_it_cost(planned: Callable[..., dict[str, Any]]) -> None:
    found = planned(*CONV, "--tokens", "3e9/day", "--peak-hour", "9%", "--gpu", "a100", "--slo-ttft", "1s")
    per_day, at_peak = (
        found["unit_cost"]["cost_per_million_output_tokens_at_mean"],
        found["answer"]["cost_per_million_output_tokens"],
    )
    assert per_day / at_peak == pytest.approx(0.09 * 24, rel=1e-3)


def test_10_a_plan_by_the_papers_that_breaks_its_limit_fails(run: Run) -> None:
    paper = ("--preset", "paper", "--rate", "200/s", "--gpu", "a100", "--split", "32768", "--pools", "2")
    code, out, _ = run("plan", "agent-heavy-paper", *paper, "--slo-ttft", "500ms")
    assert code == 3
    assert out.splitlines()[3].startswith("FAIL ")
    assert "P99 TTFT 19% over" in out


@pytest.mark.evidence
def test_13_prices_of_unlike_class_are_not_ranked_in_silence(run: Run) -> None:
    few = ("--rate", "20/s", "--slo-ttft", "1s", "--model", "llama-3.1-8b", "--gpu", "h100,l40s,mi300x")
    assert "prices of unlike class rank this" in " ".join(run(*CONV, *few)[1].split())


def test_15_no_range_is_from_a_number_to_itself_and_no_pass_without_a_limit(
    run: Run, refused: Callable[..., str]
) -> None:
    _, out, _ = run(*LARGE, "--tp", "8")
    low, high = re.findall(r"between (\d+) and (\d+) GPUs", out)[0]
    assert int(low) < int(high)
    assert "--slo" in refused(run("plan", "azure-2023-conv", "--rate", "5/s", "--no-verify"))


@pytest.mark.evidence
def test_17_requests_of_one_length_and_memory_that_cannot_be_set(run: Run, refused: Callable[..., str]) -> None:
    asked = ("--rate", "5/s", "--slo-ttft", "1s", "--gpu", "h100", "--no-verify")
    plain = run("plan", "--prompt", "2048", "--output", "256", *asked)
    assert plain[0] == 0
    assert run("plan", "--prompt", "p50=2048,p99=2048", "--output", "256", *asked)[0] == 0
    told = refused(run(*CONV, "--rate", "5/s", "--gpu-memory-utilization", "0.9"))
    assert "vLLM's own default; it cannot be set" in " ".join(told.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*CONV, "--rate", "5/s", "--slo-ttft", "1s", "--engine-overhead", "1e300s"), "duration is above 60"),
        (("list", "--offset", "9" * 20), "less than or equal to"),
        (("plan", "six.csv", "--rate", "5/s", "--slo-ttft", "1s"), "of no known format"),
        (("workload", "show", "return.csv"), "of no known format"),
    ],
)
def test_26_27_30_what_cannot_be_is_refused_in_few_lines(
    words: tuple[str, ...],
    told: str,
    run: Run,
    refused: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("six.csv").write_text("a,b,c,d,e,f\n1,2,3,4,5,6\n", "utf-8")
    Path("return.csv").write_bytes(b'"a",b\n1,x\ry\n')
    assert told in " ".join(refused(run(*words)).split())
