import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
MEASURED = Path(__file__).parents[2] / "../shared/data/measured-h100.csv"


def test_one_replica(run: Run) -> None:
    code, out, err = run("profile", "show", "H100", "llama-3.1-70b", "--dtype", "fp8", "--tp", "4")
    assert (code, err) == (0, "")
    assert out.startswith("llama-3.1-70b fp8 on 4 H100\n")
    plain = json.loads(run("profile", "show", "h100", "llama-3.1-8b", "--json")[1])
    assert plain["profile"]["tp"] == 1
    assert "kv_dtype" not in plain["profile"]


def test_one_replica_in_pictures(run: Run, refused: Callable[..., str], tmp_path: Path) -> None:
    show = ("profile", "show", "h100", "llama-3.1-70b", "--dtype", "fp8", "--tp", "4")
    out = run(*show)[1]
    assert "memory of one of 4 H100" in out
    assert "sampling" in out
    path = tmp_path / "replica.svg"
    code, out, err = run(*show, "-o", str(path))
    assert (code, out) == (0, "")
    assert "written" in err
    assert "KV cache" in path.read_text("utf-8")
    assert "the file exists" in refused(run(*show, "-o", str(path)))
    assert "the format is not known" in refused(run(*show, "-o", str(tmp_path / "replica.png")))


def test_the_cache_of_one_replica(run: Run, refused: Callable[..., str]) -> None:
    show = ("profile", "show", "h100", "llama-3.1-8b", "--kv-dtype")
    assert re.search(r"blocks of 16 tokens in\s+fp8", run(*show, "fp8")[1])
    assert json.loads(run(*show, "fp8", "--json")[1])["profile"]["kv_dtype"] == "fp8"
    assert run(*show, "engine") == run(*show, "bf16")
    assert "accepted: bf16, fp8, or engine" in refused(run(*show, "int4"))


def test_experts_of_one_replica_that_are_spread(run: Run, refused: Callable[..., str]) -> None:
    show = ("profile", "show", "h200", "gpt-oss-120b", "--tp", "4")
    out = run(*show, "--expert-parallel")[1]
    assert out.startswith("gpt-oss-120b mxfp4 on 4 H200, each with some experts whole\n")
    assert max(map(len, out.splitlines())) <= 80
    assert json.loads(run(*show, "--expert-parallel", "--json")[1])["profile"]["expert_parallel"] is True
    assert "no routed experts" in refused(run("profile", "show", "h100", "llama-3.1-8b", "--expert-parallel"))


def test_what_does_not_fit_is_refused_with_the_arithmetic(run: Run, refused: Callable[..., str]) -> None:
    assert "fit" in refused(run("profile", "show", "a10g", "llama-3.1-405b"))
    assert "--tp: unknown word (got '3')" in refused(run("profile", "show", "h100", "llama-3.1-8b", "--tp", "3"))
    assert "--dtype" in refused(run("profile", "show", "h100", "llama-3.1-8b", "--dtype", "int3"))


@pytest.mark.evidence
def test_predicted_against_measured(run: Run, tmp_path: Path) -> None:
    if not MEASURED.exists():
        pytest.skip("the measured points are not beside this checkout")
    titles, *points = MEASURED.read_text("utf-8").splitlines()
    some = tmp_path / MEASURED.name
    some.write_text("\n".join((titles, *points[::80])), "utf-8")
    code, out, err = run("profile", "validate", str(some))
    assert (code, err) == (0, "")
    assert "worst points" in out
    assert max(map(len, out.splitlines())) <= 80
    assert json.loads(run("profile", "validate", str(some), "--json")[1])["report"]["summaries"]
    assert "predicted over measured TPOT" in out
    assert run("profile", "validate", str(some), "-o", str(tmp_path / "all.svg"))[0] == 0
    assert "<svg" in (tmp_path / "all.svg").read_text("utf-8")


def test_options_say_what_a_file_of_runs_does_not(run: Run, refused: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "bench.csv"
    file.write_text("prompt_tokens,output_tokens,concurrency,ttft_ms,tpot_ms\n1024,128,8,90,8\n1024,128,8,90,nan\n")
    said = ("--model", "llama-3.1-8b", "--gpu", "h100", "--engine", "vllm", "--dtype", "fp8", "--tp", "1")
    code, out, err = run("profile", "validate", str(file), *said)
    assert (code, err) == (0, "")
    assert "left out, 1 row: TPOT is no time (got 'nan'): line 3" in out
    report = json.loads(run("profile", "validate", str(file), *said, "--json")[1])["report"]
    assert report["skipped"] == [["TPOT is no time (got 'nan'): line 3", 1]]
    assert "no model is said" in refused(run("profile", "validate", str(file)))
    few = run("profile", "validate", str(file), *said, "-o", str(tmp_path / "few.svg"))
    assert "too few runs count" in refused(few)
    assert "--tp: unknown word" in refused(run("profile", "validate", str(file), *said[:-1], "3"))


def test_own_runs_are_fitted_and_kept(
    run: Run, refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLEETTUI_CONFIG", str(tmp_path / "config.toml"))
    file = tmp_path / "bench.csv"
    file.write_text("prompt_tokens,output_tokens,concurrency,ttft_ms,tpot_ms\n1024,128,1,30,8\n1024,128,64,90,16\n")
    said = ("--model", "llama-3.1-8b", "--gpu", "h100", "--engine", "vllm", "--dtype", "fp8", "--tp", "1")
    code, out, err = run("profile", "fit", str(file), "--name", "prod", *said)
    assert (code, err) == (0, "")
    assert "llama-3.1-8b fp8 on 1 h100 under vllm" in out
    assert max(map(len, out.splitlines())) <= 80 or str(tmp_path) in out
    fit = json.loads(run("profile", "fit", str(file), *said, "--json")[1])["fit"]
    assert (fit["name"], fit["servers"][0]["points"]) == ("bench", 2)
    assert "a fit of other runs" in refused(run("profile", "fit", str(file), *said, "--step-law", "roofline"))


@pytest.mark.evidence
def test_what_to_measure_next_of_a_plan(run: Run, refused: Callable[..., str]) -> None:
    assert (
        run("plan", "azure-2023-conv", "--rate", "100/s", "--slo-ttft", "500ms", "--gpu", "h100", "--no-verify")[0] == 0
    )
    code, out, err = run("profile", "next")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert out.count("vllm bench serve") <= 5
    plain = json.loads(run("profile", "next", "last", "--json")[1])
    assert [one["is_answer"] for one in plain["points"]][:2] == [True, True]
    assert plain["points"][0]["gpu"] == "h100"
    refused(run("profile", "next", "none"))


def test_a_missing_file_is_refused(run: Run, refused: Callable[..., str], tmp_path: Path) -> None:
    refused(run("profile", "validate", str(tmp_path / "none.csv")))
