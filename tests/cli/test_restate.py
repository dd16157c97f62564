import json
from collections.abc import Callable

Run = Callable[..., tuple[int, str, str]]
OPTIONS = ("--rate", "20/s", "--slo-ttft", "500ms", "--model", "llama-3.1-8b", "--gpu", "h100", "--tp", "1")


def test_kept_plans_are_restated_and_the_study_is_kept(run: Run) -> None:
    run("plan", "azure-2023-conv", *OPTIONS, "--pools", "1", "--no-verify", "--name", "chat")
    code, out, err = run("restate")
    assert (code, err) == (0, "")
    assert "0 of 1 plan change; 1 unchanged" in out
    found = json.loads(run("restate", "name:chat", "--json")[1])
    assert (found["command"], found["study"]["question"]) == ("restate", "restate name:chat")
    assert "restate" in run("list", "--studies")[1]


def test_what_is_no_query_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "query" in refused(run("restate", "cost<dear"))
    assert "no finished plan" in run("restate", "nosuch")[1]
