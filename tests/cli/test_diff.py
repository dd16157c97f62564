import json
from collections.abc import Callable

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


def test_what_differs_and_what_caused_it(run: Run) -> None:
    run("plan", "azure-2023-conv", *OPTIONS, "--rate", "20/s", "--name", "before")
    run("plan", "azure-2023-conv", *OPTIONS, "--rate", "60/s", "--price", "h100=2", "--name", "after")
    code, out, err = run("diff", "before", "after")
    assert (code, err) == (0, "")
    assert "what makes after differ from before" in out
    assert "rate 20/s -> 60/s: +" in out
    assert "price none -> h100=2: -" in out
    assert max(map(len, out.splitlines())) <= 80
    found = json.loads(run("diff", "before", "after", "--json")[1])
    (table,) = found["causes"]["tables"]
    *parts, total = [row["cost_per_hour"] for row in table["rows"]]
    assert abs(sum(parts) - total) < 1e-9
    assert "```" in run("diff", "before", "after", "--md")[1]


def test_what_is_not_kept_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "nosuch" in refused(run("diff", "nosuch", "last"))
