import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.take_correction import CORRECT
from tests.planning.simulated import trace

Run = Callable[..., tuple[int, str, str]]
FLEET = "pools:\n  - {gpu: h100, tp: 8, replicas: 6}\n"


@pytest.fixture
def fleet(tmp_path: Path) -> str:
    """Return the path of a file that holds a fleet."""
    file = tmp_path / "fleet.yaml"
    file.write_text(FLEET, "utf-8")
    return str(file)


def test_a_fleet_of_ones_own(run: Run, fleet: str, planned: list[dict[str, Any]]) -> None:
    options = ("--rate", "100/s", "--slo-ttft", "500ms", "--seed", "7", "--precision", "2%", "--format", "csv")
    code, out, err = run("simulate", fleet, "azure-2023-conv", *options, "--workers", "1")
    assert (code, err) == (0, "")
    assert "proof   10 runs, 200,000 requests, P99 TTFT 0.41 s +-2%" in out
    (call,) = planned
    assert call["given"] == (
        FleetSketch(pools=(PoolSketch(gpu="h100", tp=8, replicas=6),)),
        Question(
            workload="azure-2023-conv",
            demand=Demand(form="rate", rate=100.0),
            slo=Slo(ttft=0.5),
            step_law="kernels",
            seed=7,
            precision=0.02,
        ),
    )
    assert call["trace_format"] == "csv"
    plain = json.loads(run("simulate", fleet, "azure-2023-conv", "--json")[1])
    assert (plain["schema"], plain["command"], plain["verdict"]) == (1, "simulate", "pass")


def test_a_fleet_may_be_said_in_words(run: Run, planned: list[dict[str, Any]]) -> None:
    for words in ("h100 tp4 x3", "12 H100 tp4"):
        assert run("simulate", words, "azure-2023-conv", "--rate", "10/s")[0] == 0
    first, second = (call["given"][0] for call in planned)
    assert first == second == FleetSketch(pools=(PoolSketch(gpu="h100", tp=4, replicas=3),))


def test_it_may_be_looked_at_without_any_limit(run: Run, fleet: str, planned: list[dict[str, Any]]) -> None:
    code, out, _ = run("simulate", fleet, "azure-2023-conv")
    assert code == 0
    assert out.startswith("azure-2023-conv  llama-3.1-70b bf16  no SLO\n")
    assert planned[0]["given"][1].slo.limits() == ()


def test_what_the_file_does_not_say_of_the_fleet_the_options_the_question_and_the_settings_do(
    run: Run, tmp_path: Path, planned: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ran llama-3.1-70b in bf16, whatever was asked."""
    file = tmp_path / "fleet.yaml"
    pools = "  pools: [{gpu: h100, tp: 8, replicas: 6, up_to: 4096}, {gpu: h100, tp: 8, replicas: 1, dtype: bf16}]"
    file.write_text(f"fleet:\n{pools}\nquestion: {{token-budget: 4096, model: llama-3.1-8b}}\n", "utf-8")
    monkeypatch.setenv("FLEETTUI_DTYPE", "fp8")
    assert run("simulate", str(file), "azure-2023-conv", "--model", "qwen3-32b", "--router", "round-robin")[0] == 0
    sketch, question = planned[0]["given"]
    assert [(pool.model, pool.dtype, pool.token_budget) for pool in sketch.pools] == [
        ("qwen3-32b", "fp8", 4096),
        ("qwen3-32b", "bf16", 4096),
    ]
    assert (sketch.router, question.model, question.dtype) == ("round-robin", "qwen3-32b", "fp8")
    (told,) = planned[0]["differences"]
    assert told.endswith("dtype bf16 in pool 2 (the question: fp8)")


def test_what_a_backtest_corrects_is_taken_into_the_fleet_that_is_given(
    run: Run, refused: Callable[..., str], planned: list[dict[str, Any]], halved: str
) -> None:
    """Found: a simulated fleet was told of --correct, which simulate did not have."""
    asked = ("simulate", "h100 tp4 x3", "azure-2023-conv", CORRECT, halved)
    assert run(*asked)[0] == 0
    assert planned[-1]["given"][1].demand == Demand(form="rate", rate=41.65)
    assert "do: leave out --rate" in refused(run(*asked, "--rate", "5/s"))


def test_a_plan_as_data_is_a_fleet(run: Run, tmp_path: Path, planned: list[dict[str, Any]]) -> None:
    file = tmp_path / "plan.json"
    file.write_text(run("show", "last", "--json")[1], "utf-8")
    assert run("simulate", str(file), "azure-2023-conv")[0] == 0
    assert planned[0]["given"][0].pools[0].profile.kv_blocks == 60_000


@pytest.mark.parametrize(
    ("text", "options", "what"),
    [
        ("pools: [", (), "this is no YAML"),
        (FLEET.replace("6", "0"), (), "fleet.yaml line 2, pool 1, replicas: count must be above zero (got '0')"),
        (FLEET.replace("h100", "h1000"), (), "fleet.yaml, pool 1: unknown GPU (got 'h1000')"),
        (FLEET.replace("tp", "model: llama-9, tp"), (), "fleet.yaml, pool 1: unknown model (got 'llama-9')"),
        (FLEET.replace("tp", "profile: {kv_blocks: 9}, tp"), (), "pool 1, profile: base_step_time is missing"),
        (
            FLEET,
            ("--gpu", "h100"),
            "do: write gpu: in each pool of the fleet's file; fleettui simulate --help shows",
        ),
        (FLEET, ("--gamma", "1.2"), "do: write gamma: beside pools in the fleet's file; fleettui simulate"),
        (
            FLEET.replace("tp", "dtype: bf16, tp"),
            ("--dtype", "fp8"),
            "--dtype: the fleet's file says another value (got 'fp8')",
        ),
        (FLEET, ("--token-budget", "auto"), "--token-budget: this leaves it to a search, and the fleet is given"),
        *(
            (
                FLEET,
                option,
                f"no such option: {option[0]}\n  a search takes it; a fleet that is given is as it is written, and "
                "paid by the GPU\n  do: fleettui simulate --help shows what is accepted",
            )
            for option in (("--pools", "2"), ("--whole-nodes",))
        ),
        (FLEET, ("--rate", "100"), "--rate: rate needs a unit"),
        (FLEET, ("--prompt", "p50=9,p99=90"), "--prompt: this goes with --output"),
        ("#" * 1_000_001, (), "this is too long for a fleet"),
    ],
)
def test_what_cannot_be_simulated_is_refused(
    text: str,
    options: tuple[str, ...],
    what: str,
    run: Run,
    refused: Callable[..., str],
    tmp_path: Path,
    planned: list[dict[str, Any]],
) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(text, "utf-8")
    assert what in refused(run("simulate", str(file), "azure-2023-conv", *options))
    assert planned == []


def test_a_missing_file_and_a_missing_workload_are_refused(run: Run, refused: Callable[..., str], fleet: str) -> None:
    assert "the fleet cannot be read: No such file" in refused(run("simulate", "none.yaml", "azure-2023-conv"))
    assert "accepted: h100 tp4 x6 (6 replicas of 4 GPUs)" in refused(run("simulate", "none", "azure-2023-conv"))
    assert "10 GPUs are no whole number of replicas of 4" in refused(run("simulate", "10 h100 tp4", "azure-2023-conv"))
    assert "fleettui simulate fleet.yaml azure-2023-conv" in refused(run("simulate", fleet))
    assert "missing argument 'FLEET'" in refused(run("simulate"))


def test_a_fleet_is_simulated_kept_and_shown(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text("pools: [{gpu: h100, model: llama-3.1-8b, tp: 1, replicas: 2}]\n", "utf-8")
    code, out, err = run(
        "simulate", str(file), "azure-2023-conv", "--rate", "5/s", "--slo-ttft", "2s", "--precision", "50%"
    )
    assert (code, err) == (0, "")
    assert "PASS   2 H100" in out
    assert "simulated" in out
    assert run("show", "last")[1] == out
    assert "stock   1 H100 is spare ($2.95/h) at nominal speed" in out
    assert run("list")[1].splitlines()[1].endswith("PASS simulated, 1 spare")
    assert json.loads(run("show", "last", "--json")[1])["stock"]["gpus"] == [1]
    assert " done " in run("jobs")[1]


def test_an_unknown_trace_format_is_refused_by_the_worker(
    run: Run, refused: Callable[..., str], fleet: str, tmp_path: Path
) -> None:
    workload = trace(tmp_path)
    assert "nosuch" in refused(run("simulate", fleet, workload, "--rate", "1/s", "--format", "nosuch"))


def test_a_model_that_does_not_fit_is_refused_in_the_words_of_the_file(
    run: Run, refused: Callable[..., str], tmp_path: Path
) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text("pools: [{gpu: a10g, tp: 1, replicas: 2}]\n", "utf-8")
    told = " ".join(refused(run("simulate", str(file), "azure-2023-conv", "--rate", "5/s")).split())
    assert "pool 1: llama-3.1-70b in bf16 does not fit on 1 × a10g" in told
    assert "--" not in told.partition(" do: ")[2]
    assert told.endswith("gpu: b200, tp: 1; or say another model: in the pool")
