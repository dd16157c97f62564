"""Small whole answers with their inputs, for tests of the store."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TypedDict

from fleettui.domain.confidence import Confidence
from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.digest import digest
from fleettui.domain.fleet import Fleet, Pool, PoolProfile
from fleettui.domain.hardware import Citation, PowerCurve, Profile, StepCost
from fleettui.domain.job import Job
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import (
    Answer,
    Candidate,
    Estimate,
    Evidence,
    Excluded,
    PlanIdentity,
    PoolEvidence,
    PoolFigures,
    Verdict,
)
from fleettui.domain.provenance import Provenance
from fleettui.domain.scenario import Question, Scenario
from fleettui.domain.simulation import Histogram, PoolRun, Replication
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study, StudyColumn, StudyTable
from fleettui.domain.workload import (
    ArrivalStatistics,
    LengthDistribution,
    LengthStatistics,
    Origin,
    TimeSlice,
    Workload,
)
from store import Store

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def clock(step: timedelta = timedelta(hours=1), start: datetime = MOMENT) -> Callable[[], datetime]:
    """Return a clock that is `step` later at each look."""
    ticks = iter(range(1_000_000))
    return lambda: start + next(ticks) * step


def workload(name: str = "chat") -> Workload:
    lengths = LengthStatistics(mean=0.1 + 0.2, p50=200, p90=1e3, p95=2e3, p99=4096.5, maximum=1e22, scv=1 / 3)
    joint = LengthDistribution(kind="joint", atoms=((1.0, 900.0, 200.0), (0.25, 8000.5, 1500.0)), prompt=lengths)
    total = LengthDistribution(kind="total", cdf=((512, 0.5), (4096, 1.0)), output_share=0.2)
    return Workload(
        name=name,
        slices=(
            TimeSlice(start=0, duration=300, rate=12.5, lengths=joint),
            TimeSlice(start=300, duration=300, rate=None, lengths=total),
        ),
        arrivals=ArrivalStatistics(timing="recorded", mean_rate=12.5, dispersion=((60, 1.7), (3600, None))),
        origin=Origin(source="a trace — «conv»", licence="CC-BY-4.0"),
        notes=("spread each tick evenly",),
    )


def profile(gpu: str = "h100", model: str = "llama-3.1-70b") -> Profile:
    return Profile(
        name=f"{gpu}-{model}-tp4",
        gpu=gpu,
        model=model,
        dtype="fp8",
        tp=4,
        price_per_hour=2.99,
        price_note="on demand",
        step=StepCost(
            overhead=0.003,
            weight_time=0.0065,
            linear_time=2.9e-5,
            all_reduce_time=1.6e-5,
            context_time=3.9e-8,
            attention_time=1e-12,
        ),
        kv_blocks=65_536,
        block_size=16,
        context=131_072,
        peak=7.9e15,
        bandwidth=1.34e13,
        flops_per_token=1.4e11,
        attention_flops=1e6,
        bytes_per_step=7e10,
        kv_bytes_per_token=327_680.0,
        power=PowerCurve(idle=80, nominal=600, steepness=1.1, midpoint=4.2, confidence="medium"),
        gpus_per_node=8,
        model_error=0.25,
        memory=("weights 70.6 GB", "cache 200 GB"),
        citations=(Citation(field="peak", source="data sheet"),),
    )


def question(name: str = "chat in may") -> Question:
    return Question(
        workload="chat",
        demand=Demand(form="users", users=20_000, requests_per_user=6 / 3600, peak_factor=2.5),
        slo=Slo(ttft=0.5, tpot=0.05),
        gpus=("h100", "a100"),
        prices=(("h100", 2.1),),
        max_gpus=(("a100", 40),),
        seed=7,
        name=name,
    )


def provenance() -> Provenance:
    return Provenance(
        program_version="0.1.0", engine_version=1, python="3.11.9", numpy="2.1.0", scipy="1.14.1", platform="linux"
    )


def figures(name: str, ttft: float = 0.41) -> PoolFigures:
    return PoolFigures(
        name=name,
        arrival_rate=91.7,
        utilization=0.81,
        batch=133.2,
        probability_of_wait=1e-17,
        wait=0.0,
        prefill=0.18,
        ttft=ttft,
        tpot=0.034,
        e2e=9.1,
        mfu=0.44,
        bandwidth_use=0.51,
        longest_step=0.067,
        power=7000.0,
        limited_by="prefill compute",
        margin=0.19,
    )


def pool(name: str, gpu: str, above: int, up_to: int, replicas: int) -> Pool:
    return Pool(
        name=name,
        gpu=gpu,
        model="llama-3.1-70b",
        dtype="fp8",
        tp=4,
        replicas=replicas,
        context=up_to,
        concurrency=256,
        max_num_seqs=256,
        token_budget=2048,
        above=above,
        up_to=up_to,
        profile=PoolProfile(
            base_step_time=0.0065, time_per_context_token=3.9e-8, time_per_prompt_token=2.95e-5, kv_blocks=65_536
        ),
    )


def candidate(replicas: int = 3, *, cost: float = 71.1, shortfalls: tuple[str, ...] = ()) -> Candidate:
    pools = (pool("short", "h100", 0, 4096, replicas), pool("long", "a100", 4096, 16_384, 1))
    return Candidate(
        gpus=4 * (replicas + 1),
        cost_per_hour=cost,
        cost_per_million_output_tokens=0.31,
        power=14_000.0,
        gpus_range=(4 * replicas, None),
        model_error=0.25,
        fleet=Fleet(pools=pools),
        pools=(figures("short"), figures("long", ttft=0.48)),
        shortfalls=shortfalls,
    )


def evidence() -> Evidence:
    seen = Estimate(value=0.443, low=0.439, high=None)
    pools = (PoolEvidence(name="short", ttft=seen, tpot=seen, utilization=0.8, batch=131.0),)
    return Evidence(method="formula", verdict="pass", ttft=seen, attainment=Estimate(value=None), pools=pools)


def answer(
    count: int = 5, *, name: str = "chat in may", verdict: Verdict = "pass", holds: float | None = None
) -> Answer:
    """Return an answer whose best candidate is the first of `count`; costs rise with the rank.

    The second half breaks a limit. The fleet is as sure as `holds` says.
    """
    ranked = tuple(
        candidate(index + 3, cost=71.1 + index, shortfalls=() if index <= count // 2 else ("TTFT by 31 ms",))
        for index in range(count)
    )
    best = replace(ranked[0], evidence=evidence())
    return Answer(
        verdict=verdict,
        confidence=None if holds is None else sure(holds),
        plan=PlanIdentity(name=name, seed=7),
        demand=DerivedDemand(rate=83.3, arithmetic="20,000 × 6/h × 2.5"),
        answer=best,
        why=("TTFT at the short pool", "λ × w"),
        candidates=(best, *ranked[1:]),
        excluded=(
            Excluded(topology="h100 tp8", reason="costs more than the best", count=120),
            Excluded(topology="a100 tp1", reason="does not fit", count=3),
        ),
        warnings=("dispersion above 2",),
    )


def sure(holds: float) -> Confidence:
    """Return in what share of the cases a fleet suffices, and that no number of its replicas does in most."""
    return Confidence(holds=holds, replicas=None, gpus=None, cost=None, span=(None, None))


def infeasible(name: str = "") -> Answer:
    whole = answer(3, name=name)
    return replace(whole, verdict="infeasible", answer=None)


def simulated(verdict: Verdict = "pass", *, ttft: float = 0.46, replications: int = 10) -> Evidence:
    """Return what so many replications of `candidate()` came to; the long pool's TTFT is `ttft` seconds."""
    short, long = (
        PoolEvidence(
            name=name,
            ttft=Estimate(value=value, low=value - 0.01, high=value + 0.01),
            tpot=Estimate(value=0.035, low=0.034, high=0.036),
            e2e=Estimate(value=9.3),
            utilization=0.79,
            batch=128.5,
            mfu=0.41,
            preemptions=0.3,
        )
        for name, value in (("short", 0.42), ("long", ttft))
    )
    return Evidence(
        method="simulation",
        verdict=verdict,
        reason="TTFT of pool long: 0.46 s [0.45, 0.47] within 0.5 s",
        replications=replications,
        requests=22_000 * replications,
        seed=7,
        precision=0.05,
        ttft=Estimate(value=0.44, low=0.43, high=0.45),
        attainment=Estimate(value=0.993, low=0.992, high=0.994),
        pools=(short, long),
    )


def replication(index: int = 0, *, digest: str = "") -> Replication:
    """Return a run of `candidate()` whose histograms are as large as those of some 20,000 requests."""
    return Replication(
        index=index,
        requests=22_000,
        ttft=0.44 + index / 1000,
        attainment=0.993,
        pools=(run("short", index), run("long", index)),
        digest=digest or f"{index:064x}",
    )


@cache
def run(name: str, index: int = 0) -> PoolRun:
    chance = random.Random(index)
    spread = ("ttft", -200, 90), ("tpot", -340, 30), ("e2e", 210, 120)
    return PoolRun(
        name=name,
        offered=20_000,
        completed=19_990,
        rejected=10,
        ttft=0.44,
        tpot=0.035,
        e2e=9.3,
        wait=0.01,
        attainment=0.993,
        utilization=0.79,
        batch=128.5,
        mfu=None,
        preemptions=3,
        duration=218.1,
        throughput=91.6,
        histograms=tuple(
            Histogram(metric=metric, cells=bell(middle, width, chance)) for metric, middle, width in spread
        ),
    )


def bell(middle: int, width: int, chance: random.Random) -> tuple[tuple[int, int], ...]:
    """Return some 20,000 values spread as a sample of a normal distribution would be, roughly."""
    heights = ((step, 8000 / width * math.exp(-0.5 * (step / width) ** 2)) for step in range(-4 * width, 4 * width))
    counts = ((middle + step, round(height + height**0.5 * chance.uniform(-2, 2))) for step, height in heights)
    return tuple((cell, count) for cell, count in counts if count > 0)


def job(plan: str = "", *, owner: str = "") -> Job:
    return Job(id="", handle="", kind="plan", title="chat in may", state="running", plan=plan, owner=owner, total=10)


def study_job(*, owner: str = "") -> Job:
    asked = '{"command": "whatif", "given": {"plan": "last", "steps": true}, "folder": "/"}'
    title = "whatif last --steps"
    return Job(id="", handle="", kind="study", title=title, state="running", plan="", asked=asked, owner=owner)


def unproven(count: int = 5, *, name: str = "chat in may") -> Answer:
    """Return what a formula says before the simulation has looked."""
    return replace(answer(count, name=name), verdict="unproven")


def begin(store: Store, given: Answer | None = None, *, owner: str = "") -> tuple[Answer, Job]:
    """Begin `given` (or a sample) with its inputs and return it and its job as stored."""
    given = unproven() if given is None else given
    return store.begin_plan(NewPlan(answer=given, **inputs(given.plan.name)), job=job(owner=owner))


def prove(store: Store, *, replications: int = 2) -> Answer:
    """Store a plan called "proved" whose cheaper candidate failed and whose dearer one became the answer; job done."""
    begun, job = begin(store, unproven(1, name="proved"))
    cheaper, dearer = begun.candidates[0], store.add_candidate(begun.plan.id, candidate(4, cost=90.5))
    for one, evidence in ((cheaper, simulated("fail", ttft=0.61)), (dearer, simulated())):
        for index in range(replications):
            store.add_replication(one.candidate, 7, replication(index))
        store.add_verification(one.candidate, evidence)
    proved = store.finish_plan(begun.plan.id, replace(begun, verdict="pass", answer=dearer, why=("the first fails",)))
    store.end_job(job.id, "done", "proved")
    return proved


def add(store: Store, given: Answer | None = None, *, workload_name: str = "chat", parent: str = "") -> Answer:
    """Add `given` (or a sample) with its inputs and return it as stored."""
    given = answer() if given is None else given
    return store.add_plan(NewPlan(answer=given, **inputs(given.plan.name, workload_name)), parent=parent)


def study(plan: str = "", *, title: str = "When does each fleet run out?") -> Study:
    """Return a step table of two fleets, one of whose figures is not known."""
    columns = (
        StudyColumn(name="fleet"),
        StudyColumn(name="gpus", quantity="count"),
        StudyColumn(name="until", quantity="rate"),
        StudyColumn(name="cost", quantity="dollars per hour"),
    )
    rows = (("4 h100 tp4x1", 4, 25.5, 11.96), ("8 h100 tp4x2", 8, 60.0, None))
    return Study(
        kind="steps",
        title=title,
        question=f"whatif {plan or 'chat'} --steps",
        plan=plan,
        seed=7,
        sentences=("4 H100 hold up to 25.5/s.", "λ × w"),
        tables=(StudyTable(title="steps", columns=columns, rows=rows, note="until: the rate at which it runs out"),),
        warnings=("dispersion above 2",),
    )


class Inputs(TypedDict):
    """What a plan is stored with."""

    scenario: Scenario
    provenance: Provenance
    workload: Workload
    profiles: tuple[Profile, ...]


def inputs(name: str, workload_name: str = "chat") -> Inputs:
    demand, profiles = workload(workload_name), (profile("h100"), profile("a100"))
    scenario = Scenario(
        question=question(name),
        workload=digest(demand),
        profiles=tuple(map(digest, profiles)),
        rate=83.3,
        engine_version=1,
    )
    return Inputs(scenario=scenario, provenance=provenance(), workload=demand, profiles=profiles)


def at(cost: float, name: str) -> Answer:
    """Return an answer called `name` whose one fleet costs `cost` US dollars an hour."""
    fleet = candidate(4, cost=cost)
    return replace(answer(1, name=name), answer=fleet, candidates=(fleet,))
