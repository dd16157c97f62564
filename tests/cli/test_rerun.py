import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.planning import make_plan
from store import Store

Run = Callable[..., tuple[int, str, str]]
OPTIONS = ("--rate", "20/s", "--slo-ttft", "500ms", "--model", "llama-3.1-8b", "--gpu", "h100", "--tp", "1")


def test_a_kept_plan_is_the_same_to_the_byte(run: Run) -> None:
    run("plan", "azure-2023-conv", *OPTIONS, "--pools", "1", "--no-verify", "--name", "chat")
    code, out, err = run("rerun", "chat")
    assert (code, err) == (0, "")
    assert "chat: the same to the byte" in out
    assert "by formula" in out


@pytest.mark.evidence
def test_what_differs_is_exit_code_3(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = make_plan.keep

    def other(store: Store, new: NewPlan, *, parent: str = "") -> Answer:
        return keep(store, replace(new, answer=replace(new.answer, why=("for another reason",))), parent=parent)

    monkeypatch.setattr(make_plan, "keep", other)
    run("plan", "azure-2023-conv", *OPTIONS, "--pools", "1", "--no-verify")
    code, out, _ = run("rerun", "last")
    assert code == 3
    assert "not the same; what differs: why" in out
    found = json.loads(run("rerun", "last", "--json")[1])
    assert (found["same"], found["differs"], found["rows"]) == (False, ["why"], [])
    with Store.open() as store:
        assert store.count() == 1


def test_what_is_not_kept_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "nosuch" in refused(run("rerun", "nosuch"))
