"""Small whole answers with their inputs, for tests of the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from fleettui.domain.digest import digest
from fleettui.domain.fleet import Fleet, Pool, PoolProfile
from fleettui.domain.hardware import Citation, PowerCurve, Profile, StepCost
from fleettui.domain.plan import (
    Answer,
    Candidate,
    Estimate,
    Evidence,
    Excluded,
    PlanIdentity,
    PoolEvidence,
    PoolFigures,
)
from fleettui.domain.scenario import Demand, DerivedDemand, Provenance, Question, Scenario, Slo
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


def answer(count: int = 5, *, name: str = "chat in may") -> Answer:
    """Return an answer whose best candidate is the first of `count`; costs rise with the rank."""
    ranked = tuple(
        candidate(index + 3, cost=71.1 + index, shortfalls=() if index % 2 == 0 else ("TTFT by 31 ms",))
        for index in range(count)
    )
    best = replace(ranked[0], evidence=evidence())
    return Answer(
        verdict="pass",
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


def infeasible(name: str = "") -> Answer:
    whole = answer(3, name=name)
    return replace(whole, verdict="infeasible", answer=None)


def add(store: Store, given: Answer | None = None, *, workload_name: str = "chat") -> Answer:
    """Add `given` (or a sample) with its inputs and return it as stored."""
    given = answer() if given is None else given
    demand, profiles = workload(workload_name), (profile("h100"), profile("a100"))
    scenario = Scenario(
        question=question(given.plan.name),
        workload=digest(demand),
        profiles=tuple(map(digest, profiles)),
        rate=83.3,
        engine_version=1,
    )
    return store.add_plan(given, scenario=scenario, provenance=provenance(), workload=demand, profiles=profiles)
