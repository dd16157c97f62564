import json
import re
from collections.abc import Callable

Run = Callable[..., tuple[int, str, str]]
OPTIONS = ("--rate", "20/s", "--model", "llama-3.1-8b", "--gpu", "h100,a100", "--tp", "1", "--pools", "1")


def test_the_trade_off_of_a_kept_plan_is_printed_and_kept(run: Run) -> None:
    run("plan", "azure-2023-conv", *OPTIONS, "--slo-ttft", "500ms", "--no-verify", "--name", "small")
    code, out, err = run("pareto", "small")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert out.index("the cheapest: ") < out.index("best for each objective") < out.index("the front: P99 TTFT")
    handle = re.search(r"again: fleettui show (\w+)", out)
    assert handle is not None
    assert run("show", handle[1])[1] == out
    found = json.loads(run("show", handle[1], "--json")[1])
    assert found["study"]["kind"] == "pareto"
    best, front = (table["rows"] for table in found["tables"])
    assert [row["least"] for row in best] == ["cost", "gpus", "power", "ttft"]
    assert best[0]["cost_per_hour"] == front[0]["cost_per_hour"]
    assert [row["ttft"] for row in front] == sorted((row["ttft"] for row in front), reverse=True)


def test_what_is_not_kept_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "nosuch" in refused(run("pareto", "nosuch"))
