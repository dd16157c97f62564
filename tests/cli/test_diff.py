import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
OPTIONS = (
    "--slo-ttft",
    "500ms",
    "--model",
    "llama-3.1-8b",
    "--gpu",
    "h100",
    "--tp",
    "1",
    "--pools",
    "1",
    "--no-verify",
)


@pytest.mark.thorough
def test_what_differs_and_what_caused_it(run: Run) -> None:
    run("plan", "azure-2023-conv", *OPTIONS, "--rate", "20/s", "--name", "before")
    run("plan", "azure-2023-conv", *OPTIONS, "--rate", "60/s", "--price", "h100=2", "--name", "after")
    code, out, err = run("diff", "before", "after")
    assert (code, err) == (0, "")
    assert "what makes after differ from before" in out
    assert "rate 20/s -> 60/s: +" in out
    assert "price h100 $2.95/h catalogue -> h100 $2.00/h typed: -" in out.replace("\n", " ")
    assert max(map(len, out.splitlines())) <= 80
    found = json.loads(run("diff", "before", "after", "--json")[1])
    for table in found["causes"]["tables"]:
        *parts, total = [row["cost_per_hour"] for row in table["rows"]]
        assert abs(sum(parts) - total) < 1e-9
    assert "```" in run("diff", "before", "after", "--md")[1]


def test_what_is_not_kept_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "nosuch" in refused(run("diff", "nosuch", "last"))


@pytest.mark.evidence
def test_a_plan_in_a_file_is_compared_with_one_that_is_kept(
    run: Run, refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(run("plan", "azure-2023-conv", *OPTIONS, "--rate", "20/s", "--json")[1])
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "another.db"))
    run("plan", "azure-2023-conv", *OPTIONS, "--rate", "60/s", "--price", "h100=2", "--name", "after")
    code, out, err = run("diff", str(plan), "after")
    assert (code, err) == (0, "")
    assert "costs $2.10/h more than" in out
    assert out.endswith("what changed:\n- rate: 20/s -> 60/s\n- price: h100 $2.95/h catalogue -> h100 $2.00/h typed\n")
    assert "fleettui verify after" not in out
    assert "- rate: 20/s -> 60/s" in run("diff", str(plan), "after", "--md")[1]
    told = json.loads(run("diff", str(plan), "after", "--json")[1])
    assert [one["name"] for one in told["changes"]] == ["rate", "price"]
    assert "cannot be read" in refused(run("diff", "nosuch.json", "after"))
    assert "compared with itself" in refused(run("diff", str(plan), str(plan)))
