import json
from collections.abc import Callable

Run = Callable[..., tuple[int, str, str]]
OPTIONS = ("--rate", "20/s", "--model", "llama-3.1-8b", "--gpu", "h100,a100", "--tp", "1", "--pools", "1")


def test_the_reasons_of_a_kept_plan_are_printed_and_kept(run: Run) -> None:
    run("plan", "azure-2023-conv", *OPTIONS, "--slo-ttft", "500ms", "--no-verify", "--name", "small")
    code, out, err = run("why", "small")
    assert (code, err) == (0, "")
    assert "pool all: " in out
    assert "under paged admission the split at" in out
    assert "limits on latency" in out
    assert max(map(len, out.splitlines())) <= 80
    found = json.loads(run("why", "--json")[1])
    assert found["command"] == "why"
    assert found["study"]["kind"] == "why"
    assert found["tables"][0]["rows"][0]["limit"] == "TTFT"


def test_an_infeasible_question_is_told_what_would_do(run: Run) -> None:
    run("plan", "azure-2023-conv", *OPTIONS, "--slo-ttft", "500ms", "--budget", "1/h", "--no-verify")
    code, out, _ = run("why", "last")
    assert code == 0
    assert "budget of $" in out
    assert "instead of $1.00/h alone" in " ".join(out.split())


def test_what_is_not_kept_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "nosuch" in refused(run("why", "nosuch"))
