import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.worker_count import default_workers
from fleettui.planning.worker_pool import WorkerPool
from tests.repeated import few

Run = Callable[..., tuple[int, str, str]]
BASE = ("plan", "azure-2023-conv", "--slo-ttft", "500ms")


def test_the_answer_is_printed_for_the_question_asked(run: Run, asked: list[Question]) -> None:
    code, out, err = run(*BASE, "--rate", "100/s", "--gpu", "h100", "--tp", "8", "--no-verify", "--drop-longer")
    assert (code, err) == (0, "")
    assert "PASS by formula   48 H100" in out
    assert "formula only: not simulated" in out
    assert asked == [
        Question(
            workload="azure-2023-conv",
            slo=Slo(ttft=0.5),
            demand=Demand(form="rate", rate=100.0),
            gpus=("h100",),
            tp=(8,),
            drop_longer=True,
            step_law="kernels",
            verify=False,
        )
    ]


def test_three_new_users_questions(run: Run, asked: list[Question]) -> None:
    assert (
        run(
            *BASE,
            "--model",
            "Qwen3-32B",
            "--dtype",
            "fp8",
            "--users",
            "20,000",
            "--requests-per-user",
            "6/h",
            "--peak-factor",
            "2.5",
        )[0]
        == 0
    )
    assert run(*BASE, "--tokens", "3B/day", "--gpu", "a100")[0] == 0
    assert (
        run(
            "plan", "--prompt", "p50=900,p99=8k", "--output", "p50=200,p99=1.5k", "--rate", "60/s", "--slo-tpot", "40ms"
        )[0]
        == 0
    )
    first, second, third = asked
    assert (first.model, first.dtype, first.demand.users) == ("qwen3-32b", "fp8", 20_000)
    assert (second.gpus, second.demand.tokens) == (("a100",), 3e9 / 86_400)
    assert (third.workload, third.prompt, third.slo) == (None, ((0.5, 900.0), (0.99, 8000.0)), Slo(tpot=0.04))


@pytest.mark.parametrize(("word", "code"), [("pass", 0), ("fail", 3), ("unproven", 3), ("infeasible", 3)])
def test_the_verdict_is_the_exit_code(word: str, code: int, run: Run, verdict: Callable[[Any], None]) -> None:
    verdict(word)
    found, out, _ = run(*BASE, "--json")
    assert found == code
    assert json.loads(out)["verdict"] == word


@pytest.mark.usefixtures("asked")
def test_json_is_one_object_and_narration_stays_on_stderr(run: Run) -> None:
    code, out, err = run(*BASE, "--json")
    plain = json.loads(out)
    assert (code, plain["schema"], plain["command"]) == (0, 1, "plan")
    assert err == "formula only: not simulated\n"
    assert run(*BASE, "--json", "--no-verify")[2] == ""


@pytest.mark.usefixtures("asked")
def test_a_router_that_is_asked_for_and_has_no_choice_is_remarked_on(
    run: Run, monkeypatch: pytest.MonkeyPatch, proven: Answer, tmp_path: Path
) -> None:
    assert proven.answer is not None
    fleet = replace(proven.answer.fleet, pools=proven.answer.fleet.pools[:1])
    alone = replace(proven, answer=replace(proven.answer, fleet=fleet))

    async def make_plan(*_: Any, **__: Any) -> Answer:
        return alone

    monkeypatch.setattr("fleettui.planning.make_plan.make_plan", make_plan)
    assert run(*BASE, "--json", "--router", "length")[2].startswith("router length has no pool to choose")
    assert run(*BASE, "--json")[2] == "", "nobody asked for it"
    file = tmp_path / "question.yaml"
    file.write_text(run(*BASE, "--pools", "1", "--write-question")[1])
    assert "router: length" in file.read_text()
    assert run("plan", "-f", str(file), "--json")[2] == "", "the program wrote it"


@pytest.mark.usefixtures("asked")
def test_a_proven_answer_needs_no_narration(run: Run, monkeypatch: pytest.MonkeyPatch, proven: Answer) -> None:
    async def make_plan(*_: Any, **__: Any) -> Answer:
        return proven

    monkeypatch.setattr("fleettui.planning.make_plan.make_plan", make_plan)
    code, out, err = run(*BASE, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["answer"]["evidence"]["method"] == "simulation"
    assert "proof   10 runs, 200,000 requests, P99 TTFT 0.41 s +-2%" in run(*BASE)[1]


def test_the_budget_and_the_division_can_be_left_to_the_search(run: Run, asked: list[Question]) -> None:
    assert run(*BASE, "--token-budget", "auto", "--model", "qwen3-30b-a3b")[0] == 0
    assert run(*BASE, "--parallel", "AUTO", "--tp", "4,8")[0] == 0
    assert [(one.token_budget, one.parallel, one.tp) for one in asked] == [("auto", None, ()), (None, "auto", (4, 8))]
    written = run(*BASE, "--token-budget", "auto", "--parallel", "auto", "--write-question")[1]
    assert "token-budget: auto" in written
    assert "parallel: auto" in written


def test_proof_is_an_option_a_key_and_a_setting(
    run: Run, asked: list[Question], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "q.yaml"
    file.write_text("workload: azure-2023-conv\nslo-ttft: 1s\nverify: false\nprecision: 2%\n", "utf-8")
    run("plan", "-f", str(file))
    run("plan", "-f", str(file), "--verify", "--precision", "0.1")
    monkeypatch.setenv("FLEETTUI_VERIFY", "no")
    monkeypatch.setenv("FLEETTUI_PRECISION", "3%")
    run(*BASE)
    assert [(one.verify, one.precision) for one in asked] == [(False, 0.02), (True, 0.1), (False, 0.03)]


def test_the_number_of_workers_is_no_part_of_the_question(
    run: Run, asked: list[Question], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    real = WorkerPool.__init__

    def count(pool: WorkerPool, workers: int) -> None:
        made.append(workers)
        real(pool, workers)

    monkeypatch.setattr(WorkerPool, "__init__", count)
    run(*BASE, "--workers", "3")
    monkeypatch.setenv("FLEETTUI_WORKERS", "2")
    run(*BASE)
    monkeypatch.delenv("FLEETTUI_WORKERS")
    run(*BASE)
    assert made == [3, 2, default_workers()]
    assert asked[0] == asked[1] == asked[2]
    assert "workers" not in run(*BASE, "--workers", "3", "--write-question")[1]


@pytest.mark.parametrize(
    ("options", "what"),
    few(
        [
            (("--rate", "100"), "--rate: rate needs a unit (got '100')"),
            (("--rate", "0/s"), "--rate: rate must be above zero"),
            (("--rate", "-1/s"), "--rate: rate must be above zero"),
            (("--rate", "nan"), "--rate: rate must be a finite number"),
            (("--rate", "inf/s"), "--rate: rate must be a finite number"),
            (("--slo-tpot", "50"), "--slo-tpot: duration needs a unit"),
            (("--slo-tpot", "0ms"), "--slo-tpot: duration must be above zero"),
            (("--slo-tpot", "-5ms"), "--slo-tpot: duration must be above zero"),
            (("--rate", "1/s", "--tokens", "3e9/day"), "--rate and --tokens: demand is given in two forms"),
            (("--token-budget", "any"), "--token-budget: this is no number of tokens (got 'any')"),
            (("--parallel", "never"), "--parallel: unknown word (got 'never')"),
            (
                ("--parallel", "auto", "--expert-parallel"),
                "--parallel: how experts are divided is both given and searched",
            ),
            (("--arrivals", "waves"), "--arrivals: unknown arrival process (got 'waves')"),
            (("--router", "fastest"), "--router: unknown router (got 'fastest')"),
            (("--dtype", "int3"), "--dtype: unknown word (got 'int3')"),
            (("--tp", "3"), "--tp: not among the numbers"),
            (("--pools", "5"), "--pools: not among the numbers"),
            (("--prefix-hit", "110%"), "--prefix-hit: share is above 1"),
            (("--percentile", "100"), "--percentile: this is no percentile"),
            (("--context", "0"), "--context: number of tokens must be above zero"),
            (("--precision", "5"), "--precision: share is above 1"),
            (("--precision", "0%"), "--precision: the share must be below 1 and above 0"),
            (("--workers", "0"), "--workers"),
            (("--workers", "65"), "--workers"),
            (("--price", "h100"), "--price: this is no list of name=value"),
        ],
        16,
    ),
)
def test_bad_options_are_refused(
    options: tuple[str, ...], what: str, run: Run, refused: Callable[..., str], asked: list[Question]
) -> None:
    assert what in refused(run(*BASE, *options))
    assert asked == []


def test_no_slo_and_no_workload_are_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "no service level objective" in refused(run("plan", "azure-2023-conv"))
    assert "no workload is given" in refused(run("plan", "--slo-ttft", "1s"))


def test_a_refused_question_leaves_no_store(
    run: Run, refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "new" / "plans.db"
    monkeypatch.setenv("FLEETTUI_DB", str(database))
    refused(run(*BASE, "--rate", "100"))
    assert not database.parent.exists()


def test_a_written_question_asks_the_same(run: Run, asked: list[Question], tmp_path: Path) -> None:
    options = ["--tokens", "3e9/day", "--price", "h100=2.10,a100=1.2", "--name", "spring: 1", "--headroom", "10%"]
    options += ["--no-verify", "--precision", "2.5%"]
    code, text, err = run(*BASE, *options, "--write-question")
    assert (code, err, asked) == (0, "", [])
    file = tmp_path / "question.yaml"
    file.write_text(text, "utf-8")
    run(*BASE, *options)
    run("plan", "-f", str(file))
    assert asked[0] == asked[1]


def test_options_win_over_the_file(run: Run, asked: list[Question], tmp_path: Path) -> None:
    file = tmp_path / "question.yaml"
    file.write_text("workload: azure-2023-code\nrate: 5/s\nslo-ttft: 1s\nmodel: qwen3-32b\n", "utf-8")
    assert run("plan", "azure-2023-conv", "-f", str(file), "--concurrency", "40")[0] == 0
    (question,) = asked
    assert question.workload == "azure-2023-conv"
    assert question.demand == Demand(form="concurrency", concurrency=40)
    assert question.model == "qwen3-32b"


def test_a_template_is_written_without_any_option(run: Run) -> None:
    code, out, _ = run("plan", "--write-question")
    assert code == 0
    assert "# workload: azure-2023-conv" in out
    assert "model: llama-3.1-70b" in out


def test_a_trace_format_that_does_not_exist_is_refused(run: Run, refused: Callable[..., str], tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_text("x\n1\n", "utf-8")
    assert "nosuch" in refused(run("plan", str(trace), "--slo-ttft", "1s", "--rate", "1/s", "--format", "nosuch"))
    assert not list(tmp_path.glob("*.db"))


def test_what_a_backtest_corrects_is_taken_in_unless_it_is_typed(
    run: Run, refused: Callable[..., str], asked: list[Question], halved: str
) -> None:
    assert run(*BASE, "--gpu", "h100", "--no-verify", "--correct", halved)[0] == 0
    assert asked[-1].demand == Demand(form="rate", rate=41.65)
    told = refused(run(*BASE, "--rate", "5/s", "--correct", halved))
    assert f"--rate: study {halved} says 41.65/s (got '5/s')" in told
    assert "do: leave out --rate" in told
    assert "nobody" in refused(run(*BASE, "--correct", "nobody"))
