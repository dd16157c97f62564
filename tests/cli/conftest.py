"""The command line run inside the test, with what it printed, and a planner that answers without planning."""

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import fleettui.planning.make_plan
from fleettui.cli import error_messages, main
from fleettui.domain.demand import DerivedDemand
from fleettui.domain.fleet import Fleet, Pool, PoolProfile
from fleettui.domain.job import Job
from fleettui.domain.plan import (
    Answer,
    Candidate,
    Estimate,
    Evidence,
    PlanIdentity,
    PoolEvidence,
    PoolFigures,
)
from fleettui.domain.plan_inputs import PlanInputs, Size
from fleettui.domain.plan_row import PlanRow
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning import plan_files
from fleettui.planning.worker_pool import WorkerPool
from fleettui.reports.backtest.study import backtest_study
from store import Store
from tests.reports.backtest.samples import fit, found
from tests.store import samples

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
INPUTS = PlanInputs(
    question=Question(workload="x", slo=Slo(ttft=0.5)),
    workload="ab" * 32,
    prices=(("h100", 2.95),),
    figures=(("h100", "cd" * 32),),
    formula=Size.of(BEST),
    given=False,
    provenance=samples.provenance(),
)

SEEN = Estimate(value=0.41, low=0.4, high=0.42)
PROVEN = dataclasses.replace(
    BEST,
    evidence=Evidence(
        method="simulation",
        verdict="pass",
        replications=10,
        requests=200_000,
        ttft=SEEN,
        attainment=Estimate(value=0.995),
        pools=(PoolEvidence(name="all", ttft=SEEN, tpot=SEEN, utilization=0.8, batch=70.0),),
    ),
)
JOB = Job(
    id="0200",
    handle="3f2a",
    kind="plan",
    title="plan azure-2023-conv",
    state="stopped",
    plan="0199",
    created="2026-05-04T12:34:56Z",
    done=14,
    total=30,
    message="proving 48 H100",
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
        question: Question,
        *,
        store: Any,
        report: Callable[[Progress], None],
        pool: WorkerPool,
        trace_format: str | None,
        begun: Callable[..., None],
    ) -> Answer:
        assert isinstance(pool, WorkerPool)
        assert callable(begun)
        questions.append(question)
        report(Progress(message="searching", done=1, total=2))
        return ANSWER

    monkeypatch.setattr(fleettui.planning.make_plan, "make_plan", make_plan)
    monkeypatch.setattr(plan_files, "inputs_of", lambda *_: INPUTS)
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

    def list_plans(_: Any, query: str = "", *, limit: int, offset: int = 0, **_more: Any) -> tuple[PlanRow, ...]:
        return () if query == "none" or offset or not limit else (ROW,)

    def show_plan(_: Any, ref: str, most: int | None = None) -> Answer:
        return dataclasses.replace(ANSWER, plan=dataclasses.replace(ANSWER.plan, id=ref))

    question = Question(workload="x", slo=Slo(ttft=0.5))
    monkeypatch.setattr(Store, "plan", show_plan)
    monkeypatch.setattr(Store, "kept", lambda _, ref: ("plan", ref))
    monkeypatch.setattr(Store, "question", lambda *_: question)
    monkeypatch.setattr(Store, "plans", list_plans)
    monkeypatch.setattr(Store, "is_finished", lambda _, ref: ref != "9f3d")
    monkeypatch.setattr(plan_files, "inputs_of", lambda *_: INPUTS)


@pytest.fixture
def proven() -> Answer:
    """Return an answer that was simulated."""
    return dataclasses.replace(ANSWER, answer=PROVEN, candidates=(PROVEN,))


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch, kept: None, proven: Answer) -> list[dict[str, Any]]:
    """Replace simulating, verifying and jobs by what answers at once, and return what each was called with."""
    calls: list[dict[str, Any]] = []

    async def answer(*given: Any, pool: WorkerPool, **named: Any) -> Answer:
        assert isinstance(pool, WorkerPool)
        calls.append({"given": given, **named})
        return proven

    def list_jobs(_: Any, limit: int = 50, offset: int = 0) -> tuple[Job, ...]:
        return (JOB,)[offset:limit]

    def cancel_job(_: Any, ref: str) -> Job:
        return dataclasses.replace(JOB, handle=ref, state="cancelled")

    replace_module(monkeypatch, "simulate", simulate=answer)
    replace_module(monkeypatch, "verify", verify=answer)
    monkeypatch.setattr(Store, "row", lambda _, __: ROW._replace(handle="41a7"))
    monkeypatch.setattr(Store, "jobs", list_jobs)
    monkeypatch.setattr(Store, "job", lambda *_: JOB)
    monkeypatch.setattr(Store, "request_cancel", cancel_job)
    replace_module(monkeypatch, "resume_job", resume_job=answer)
    return calls


def replace_module(monkeypatch: pytest.MonkeyPatch, name: str, **functions: Any) -> None:
    """Put a module of `functions` where the commands import the use cases of that name from."""
    module = ModuleType(f"fleettui.planning.{name}")
    vars(module).update(functions)
    monkeypatch.setitem(sys.modules, module.__name__, module)


def refused(ended: Ended, code: int = 2) -> str:
    """Return stderr, each part on one line, after checking that it is a designed refusal."""
    found, out, err = ended
    assert found == code
    assert out == ""
    words = (line.removeprefix(error_messages.HEAD).strip() for line in err.splitlines())
    assert all(len(line) <= error_messages.WIDTH or " " not in line for line in words)
    message = err.replace(f"\n{error_messages.CONTINUED}", " ")
    assert 1 <= len(message.splitlines()) <= 3
    assert err.startswith("fleettui: ")
    assert "Traceback" not in err
    return message


@pytest.fixture(name="refused")
def refused_fixture() -> Callable[..., str]:
    """Return the check of a designed refusal."""
    return refused


@pytest.fixture
def handle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Keep one plan called chat and return its handle."""
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "plans.db"))
    with Store.open(tmp_path / "plans.db", clock=samples.clock(), entropy=lambda: 1) as store:
        return samples.add(store, samples.answer(1, name="chat")).plan.handle


@pytest.fixture
def halved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Keep a backtest that found half of a plan's rate, 41.65/s, and return its handle."""
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "kept.db"))
    less = fit("arrival rate", 0.5, 1.0, 0.36, 0.036, 60.0, 9.0)
    with Store.open(tmp_path / "kept.db") as store:
        plan = samples.add(store)
        assert plan.answer is not None
        return store.add_study(backtest_study(found(plan=plan, fleet=plan.answer, fits=(less,)))).handle
