"""The commands that ask for studies: what is typed reaches the study, which is kept, printed and found again."""

import json
import re
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.study import Study
from fleettui.planning import backtest as backtests
from fleettui.planning.studies import commands
from tests.planning.simulated import trace
from tests.store import samples

Run = Callable[..., tuple[int, str, str]]
Asked = list[tuple[str, dict[str, Any]]]
SMALL = ("--rate", "20/s", "--model", "llama-3.1-8b", "--gpu", "h100,a100", "--tp", "1", "--pools", "1")
SEEN = ("--observed", "tpot.p50=40ms,running=9", "--over", "2h")
NEEDED: dict[str, tuple[str, ...]] = {
    "whatif": ("last", "--steps"),
    "backtest": ("last", *SEEN),
    "against": ("last", "run.jsonl"),
    "compress": ("generated",),
}
"""What a command cannot do without."""
KEYS = ["table", "cell", "printed", "paper", "recommended", "note"]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Answer every question at once, and return what was asked: which kind of study, with what."""
    calls: Asked = []

    async def answer(kind: str, _: Any, *, report: Any, pool: Any, left: Any, **values: Any) -> Study:
        assert callable(left)
        assert report is not None
        assert pool is not None
        calls.append((kind, values))
        return samples.study()

    monkeypatch.setattr("fleettui.planning.studies.study_context.make", answer)
    return calls


ONE_GROWTH = {"span": None, "orders": "quarter"}


def test_each_what_if_goes_to_its_kind_of_study(run: Run, asked: Asked) -> None:
    code, out, err = run("whatif", "9f3c", "--sweep", "rate=1/s,2/s", "--sweep", "gpu=h100,a100")
    assert (code, err) == (0, "")
    assert samples.study().title in out
    run("whatif", "last", "--steps", "--from", "50/s", "--to", "6000/min")
    run("whatif", "last", "--growth", "8%/month", "--lead-time", "4w", "--months", "6", "--start", "2026-12-01")
    run("whatif", "last", "--sensitivity", "--samples", "10", "--seed", "3")
    growth = {"per_month": 0.08, "lead_days": 28.0, "months": 6, "start": date(2026, 12, 1)} | ONE_GROWTH
    assert asked == [
        ("whatif", {"plan": "9f3c", "sweep": ("rate=1/s,2/s", "gpu=h100,a100")}),
        ("steps", {"plan": "last", "low": 50.0, "high": 100.0}),
        ("growth", {"plan": "last"} | growth),
        ("sensitivity", {"plan": "last", "samples": 10, "seed": 3}),
    ]


def test_what_is_not_said_has_a_default(run: Run, asked: Asked) -> None:
    for option in ("--steps", "--growth=8%/month", "--sensitivity"):
        run("whatif", "last", option)
    steps, growth, sensitivity = (given for _, given in asked)
    assert steps == {"plan": "last", "low": None, "high": None}
    today = datetime.now().astimezone().date()
    assert growth == {"plan": "last", "per_month": 0.08, "lead_days": 84.0, "months": 24, "start": today} | ONE_GROWTH
    assert sensitivity == {"plan": "last", "samples": 400, "seed": None}


def test_what_is_lost_by_an_interrupt_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stop(*_: object, **__: object) -> Study:
        raise KeyboardInterrupt

    monkeypatch.setattr("fleettui.planning.studies.study_context.make", stop)
    for name, command in commands().items():
        code, out, err = run(name, *NEEDED.get(name, ()))
        assert (code, out) == (130, "")
        assert ("nothing of it is kept" in err) == command.whole


def test_who_stops_a_study_of_which_pieces_are_kept_is_told_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found: of a stock's capacity, which takes minutes for each rate, nothing was said to be kept."""

    async def stop(*_: object, left: Callable[[], None], **__: object) -> Study:
        left()
        raise KeyboardInterrupt

    monkeypatch.setattr("fleettui.planning.studies.study_context.make", stop)
    code, out, err = run("capacity", "last")
    assert (code, out) == (130, "")
    assert err == "fleettui: interrupted; what was finished is kept, and the same command goes on\n"


def test_json_is_one_object(run: Run, asked: Asked) -> None:
    found = json.loads(run("whatif", "last", "--steps", "--json")[1])
    assert found["command"] == "whatif"
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ((), "nothing is asked"),
        (("--steps", "--sensitivity"), "several questions at once"),
        (("--steps", "--samples", "5"), "--samples: this goes with --sensitivity"),
        (("--sensitivity", "--from", "5/s"), "--from: this goes with --steps"),
        (("--steps", "--from", "5"), "--from: rate needs a unit"),
        (("--growth", "8%"), "--growth: growth needs a unit of time"),
        (("--growth", "8%/month", "--lead-time", "12"), "--lead-time: lead time needs a unit"),
        (("--growth", "8%/month", "--start", "soon"), "--start: this is no day"),
        (("--sensitivity", "--seed", "-1"), "--seed: this is no seed"),
        (("--sensitivity", "--samples", "x"), "--samples"),
    ],
)
def test_bad_options_are_refused(
    options: tuple[str, ...],
    what: str,
    run: Run,
    refused: Callable[..., str],
    asked: Asked,
) -> None:
    assert what in refused(run("whatif", "last", *options))
    assert asked == []


def test_what_a_backtest_corrects_is_taken_into_the_question_of_a_fleet(
    run: Run, refused: Callable[..., str], asked: Asked, halved: str
) -> None:
    for command in (("capacity", "last"), ("backtest", "last", *SEEN)):
        assert run(*command, "--slo-ttft", "1s", "--correct", halved)[0] == 0
        question = asked[-1][1]["question"]
        assert {name: one.text for name, one in question.items()} == {"rate": "41.65/s", "slo-ttft": "1s"}
        assert question["rate"].where == f"--correct {halved}"
    assert f"study {halved} says 41.65" in refused(run("capacity", "last", "--rate", "5/s", "--correct", halved))


def test_a_plan_that_is_not_kept_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "nosuch" in refused(run("whatif", "nosuch", "--steps"))
    assert "missing argument 'PLAN'" in refused(run("whatif", "--steps"))


@pytest.mark.evidence
def test_the_reasons_of_a_kept_plan_are_printed_and_kept(run: Run) -> None:
    run("plan", "azure-2023-conv", *SMALL, "--slo-ttft", "500ms", "--no-verify", "--name", "small")
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


@pytest.mark.evidence
def test_an_infeasible_question_is_told_what_would_do(run: Run) -> None:
    run("plan", "azure-2023-conv", *SMALL, "--slo-ttft", "500ms", "--budget", "1/h", "--no-verify")
    code, out, _ = run("why", "last")
    assert code == 0
    assert "budget of $" in out
    assert "instead of $1.00/h alone" in " ".join(out.split())


def test_no_reasons_of_what_is_not_kept(run: Run, refused: Callable[..., str]) -> None:
    assert "nosuch" in refused(run("why", "nosuch"))


@pytest.mark.evidence
def test_the_trade_off_of_a_kept_plan_is_printed_and_kept(run: Run) -> None:
    run("plan", "azure-2023-conv", *SMALL, "--slo-ttft", "500ms", "--no-verify", "--name", "small")
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


def test_no_trade_off_of_what_is_not_kept(run: Run, refused: Callable[..., str]) -> None:
    assert "nosuch" in refused(run("pareto", "nosuch"))


@pytest.mark.thorough
def test_kept_plans_are_restated_and_the_study_is_kept(run: Run) -> None:
    run("plan", "azure-2023-conv", *SMALL, "--slo-ttft", "500ms", "--no-verify", "--name", "chat")
    code, out, err = run("restate")
    assert (code, err) == (0, "")
    assert "0 of 1 plan change; 1 unchanged" in out
    found = json.loads(run("restate", "name:chat", "--json")[1])
    assert (found["command"], found["study"]["question"]) == ("restate", "restate name:chat")
    assert "restate" in run("list", "--studies")[1]


def test_what_is_no_query_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "query" in refused(run("restate", "cost<dear"))
    assert "no finished plan" in run("restate", "nosuch")[1]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Return the paths of a fleet and a trace; one constant is enough to see that it is asked."""
    monkeypatch.setattr(backtests, "CONSTANTS", ("base step time",))
    monkeypatch.setattr(backtests, "RUNS", 2)
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text("pools: [{gpu: h100, tp: 8, replicas: 2, max_num_seqs: 256, token_budget: 2048}]\n")
    return str(fleet), trace(tmp_path)


@pytest.mark.evidence
def test_a_fleet_is_tested_and_the_test_is_kept_with_its_plan(run: Run, files: tuple[str, str]) -> None:
    code, out, err = run("backtest", *files, "--rate", "20/s", *SEEN)
    assert (code, err) == (0, "")
    assert "P50 TPOT" in out
    assert "base step time x" in out
    found = json.loads(run("backtest", "last", *SEEN, "--json")[1])
    assert (found["command"], found["study"]["kind"]) == ("backtest", "backtest")
    assert found["study"]["question"].endswith("--observed tpot.p50=40ms,running=9 --over 2h")
    assert found["tables"][-1]["title"] == "backtests of this plan, newest first"
    assert run("list", "--studies")[1].count("backtest") >= 2


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("last",), "--observed"),
        (("last", "--observed", "speed=9"), "nothing to observe"),
        (("last", "--observed", "running=9", "--over", "9"), "--over"),
        (("nosuch.yaml", "--observed", "running=9"), "no such file"),
        (("FILE", "azure-2023-conv", "--observed", "running=9", "--rate", "20"), "--rate"),
        (("FILE", "--observed", "running=9"), "no workload"),
    ],
)
def test_what_does_not_read_is_refused(
    run: Run, refused: Callable[..., str], files: tuple[str, str], options: tuple[str, ...], what: str
) -> None:
    typed = (files[0] if one == "FILE" else one for one in options)
    assert what in refused(run("backtest", *typed))


def test_a_table_as_json_and_again_from_the_store(run: Run) -> None:
    code, out, err = run("published", "ifs eq 6", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["schema"], found["command"]) == (1, "published")
    (table,) = found["tables"]
    assert table["table"] == "IFS Eq. 6"
    assert [list(cell) for cell in table["cells"]] == [KEYS, KEYS]
    assert [cell["printed"] for cell in table["cells"]] == [0.9989, 0.9871]
    assert all(abs(cell["paper"] - cell["printed"]) <= 1e-4 for cell in table["cells"])
    again = json.loads(run("show", found["study"]["handle"], "--json")[1])
    assert again["tables"] == found["tables"]


def test_a_table_as_text_fits_the_terminal(run: Run) -> None:
    code, out, _ = run("published", "FO T2")
    assert code == 0
    assert out.startswith("FO T2\n")
    assert "Azure cliff" in out
    assert max(map(len, out.splitlines())) <= 80


def test_an_unknown_table_is_refused_with_the_nearest_and_where_all_stand(
    run: Run, refused: Callable[..., str]
) -> None:
    said = refused(run("published", "FO T9"))
    assert "did you mean FO T" in said
    assert "fleettui published --help shows them" in said
    listed = run("published", "--help")[1]
    assert "FO T1-T6 7.4" in listed
    assert "Eq. 6" in listed
