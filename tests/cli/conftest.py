"""The command line run inside the test, with what it printed, and a planner that answers without planning."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import fleettui.planning.browse
import fleettui.planning.make_plan
from fleettui.cli import main
from fleettui.domain.fleet import Fleet, Pool, PoolProfile
from fleettui.domain.plan import Answer, Candidate, PlanIdentity, PlanRow, PoolFigures
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import DerivedDemand, Question, Slo

POOL = Pool(
    name="all",
    gpu="h100",
    model="llama-3.1-70b",
    dtype="bf16",
    tp=8,
    replicas=6,
    context=14_336,
    concurrency=120,
    max_num_seqs=256,
    token_budget=2048,
    above=0,
    up_to=14_336,
    profile=PoolProfile(base_step_time=0.01, time_per_context_token=4e-8, time_per_prompt_token=3e-5, kv_blocks=60_000),
)
FIGURES = PoolFigures(
    name="all",
    arrival_rate=100.0,
    utilization=0.81,
    batch=70.0,
    probability_of_wait=0.0,
    wait=0.0,
    prefill=0.2,
    ttft=0.4,
    tpot=0.04,
    e2e=20.0,
    mfu=0.4,
    bandwidth_use=0.5,
    longest_step=0.07,
    power=29_000.0,
    limited_by="prefill compute",
    margin=0.05,
)
BEST = Candidate(
    candidate="id",
    handle="41a7",
    gpus=48,
    cost_per_hour=141.6,
    cost_per_million_output_tokens=1.9,
    power=29_000.0,
    gpus_range=(40, 64),
    model_error=0.25,
    fleet=Fleet(pools=(POOL,)),
    pools=(FIGURES,),
)
ANSWER = Answer(
    verdict="pass",
    plan=PlanIdentity(id="0199", handle="9f3c"),
    demand=DerivedDemand(rate=100.0, arithmetic="100 requests/s, as given"),
    answer=BEST,
    candidates=(BEST,),
)
ROW = PlanRow(
    id="0199",
    handle="9f3c",
    name="",
    created="2026-05-04T12:34:56Z",
    workload="azure-2023-conv",
    model="llama-3.1-70b",
    fleet="48 h100 tp8x6",
    gpus=48,
    cost_per_hour=141.6,
    ttft=0.4,
    tpot=0.04,
    e2e=20.0,
    verdict="pass",
    method="formula",
)

Ended = tuple[int, str, str]
Run = Callable[..., Ended]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command line and returns (exit code, stdout, stderr)."""

    def run_command(*arguments: str) -> Ended:
        capsys.readouterr()
        code = main(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """Replace the planner by one that passes everything, and return the questions that it was asked."""
    questions: list[Question] = []

    async def make_plan(
        question: Question, *, store: Any, report: Callable[[Progress], None], trace_format: str | None
    ) -> Answer:
        questions.append(question)
        report(Progress(message="searching", done=1, total=2))
        return ANSWER

    monkeypatch.setattr(fleettui.planning.make_plan, "make_plan", make_plan)
    return questions


@pytest.fixture
def verdict(monkeypatch: pytest.MonkeyPatch, asked: list[Question]) -> Callable[[Any], None]:
    """Return a function that sets the verdict of every later answer."""

    def say(word: Any) -> None:
        async def make_plan(question: Question, **_: Any) -> Answer:
            answer = None if word == "infeasible" else BEST
            return dataclasses.replace(ANSWER, verdict=word, answer=answer)

        monkeypatch.setattr(fleettui.planning.make_plan, "make_plan", make_plan)

    return say


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put one plan into what the commands browse."""

    def list_plans(_: Any, query: str = "", *, limit: int, offset: int = 0) -> tuple[PlanRow, ...]:
        return () if query == "none" or offset or not limit else (ROW,)

    question = Question(workload="x", slo=Slo(ttft=0.5))
    monkeypatch.setattr(fleettui.planning.browse, "show_plan", lambda *_: ANSWER)
    monkeypatch.setattr(fleettui.planning.browse, "question_of", lambda *_: question)
    monkeypatch.setattr(fleettui.planning.browse, "list_plans", list_plans)


def refused(ended: Ended, code: int = 2) -> str:
    """Return stderr after checking that it is a designed refusal."""
    found, out, err = ended
    assert found == code
    assert out == ""
    assert 1 <= len(err.splitlines()) <= 3
    assert err.startswith("fleettui: ")
    assert "Traceback" not in err
    return err


@pytest.fixture(name="refused")
def refused_fixture() -> Callable[..., str]:
    """Return the check of a designed refusal."""
    return refused
