"""A made-up question and its answers, one with a fleet of two pools and one without any."""

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.fleet import Fleet, Pool, PoolProfile
from fleettui.domain.plan import (
    Answer,
    Candidate,
    Estimate,
    Evidence,
    PlanIdentity,
    PoolEvidence,
    PoolFigures,
    Verdict,
)
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.disagg_text import disagg_panes
from fleettui.reports.panes import Pane, told
from fleettui.reports.power_text import power_panes
from fleettui.reports.routing_text import routing_panes
from fleettui.reports.table import WIDTH, Table

PROFILE = PoolProfile(
    base_step_time=0.0065, time_per_context_token=3.9e-8, time_per_prompt_token=2.95e-5, kv_blocks=65_536
)


def text_of(
    panes: Callable[..., Sequence[Pane]], candidate: Candidate, question: Question, width: int = WIDTH, **beside: Any
) -> str:
    """Return the parts of a view of the plan as one text."""
    return told(panes(candidate, question, **beside), width)


routing_text, disagg_text, power_text = (partial(text_of, one) for one in (routing_panes, disagg_panes, power_panes))


def column(table: Table, title: str) -> list[str]:
    """Return the cells below one of a table's titles."""
    place = [one.title for one in table.columns].index(title)
    return [row[place] for row in table.rows]


def pool(name: str, gpu: str, tp: int, replicas: int, above: int, up_to: int) -> Pool:
    return Pool(
        name=name,
        gpu=gpu,
        model="llama-3.1-70b",
        dtype="fp8",
        tp=tp,
        replicas=replicas,
        context=up_to,
        concurrency=200,
        max_num_seqs=256,
        token_budget=2048,
        above=above,
        up_to=up_to,
        profile=PROFILE,
    )


def figures(name: str, rate: float, limited_by: str, *, ttft: float = 0.41, e2e: float = 9.1) -> PoolFigures:
    return PoolFigures(
        name=name,
        arrival_rate=rate,
        utilization=0.81,
        batch=133.2,
        probability_of_wait=0.0,
        wait=0.0,
        prefill=0.18,
        ttft=ttft,
        tpot=0.034,
        e2e=e2e,
        mfu=0.44,
        bandwidth_use=0.51,
        longest_step=0.061,
        power=7000.0,
        limited_by=limited_by,
        margin=0.04,
    )


def candidate(handle: str, cost: float, pools: tuple[tuple[Pool, PoolFigures], ...], *broken: str) -> Candidate:
    fleet = Fleet(pools=tuple(one for one, _ in pools))
    return Candidate(
        candidate=f"id-{handle}",
        handle=handle,
        gpus=fleet.gpus,
        cost_per_hour=cost,
        cost_per_million_output_tokens=0.31,
        power=14_000.0,
        gpus_range=(22, 30),
        model_error=0.25,
        fleet=fleet,
        pools=tuple(one for _, one in pools),
        shortfalls=broken,
    )


def two_pools(handle: str = "41a7", split: int = 4096, cost: float = 71.0) -> Candidate:
    short = (pool("short", "h100", 4, 4, 0, split), figures("short", 91.7, "prefill compute"))
    long = (pool("long", "h100", 4, 2, split, 16_384), figures("long", 8.3, "KV memory", ttft=0.44))
    return candidate(handle, cost, (short, long))


def too_slow() -> Candidate:
    alone = (pool("all", "mi300x", 4, 5, 0, 16_384), figures("all", 100.0, "utilization", ttft=0.52))
    return candidate("41b3", 59.0, (alone,), "P99 TTFT 0.52 s is above 500ms")


def simulated(which: Candidate, verdict: Verdict = "pass", *, high: float = 0.447, reason: str = "") -> Candidate:
    ttft = Estimate(value=0.443, low=0.886 - high, high=high)
    known = Estimate(value=0.034, low=0.033, high=0.035)
    pools = tuple(
        PoolEvidence(
            name=one.name,
            ttft=ttft,
            tpot=known,
            e2e=Estimate(value=9.3, low=9.2, high=9.4),
            utilization=0.8,
            batch=131.0,
            mfu=0.43,
        )
        for one in which.pools
    )
    evidence = Evidence(
        method="simulation",
        verdict=verdict,
        reason=reason,
        replications=12,
        requests=400_000,
        seed=1,
        precision=0.05,
        ttft=ttft,
        attainment=Estimate(value=0.9931),
        pools=pools,
    )
    return dataclasses.replace(which, evidence=evidence)


@pytest.fixture
def question() -> Question:
    return Question(
        workload="azure-2023-conv",
        slo=Slo(ttft=0.5, tpot=0.05),
        dtype="fp8",
        demand=Demand(form="rate", rate=100.0),
        budget=100.0,
        max_power=40_000.0,
        max_gpus=(("h100", 40),),
        step_law="roofline",
    )


@pytest.fixture
def best() -> Candidate:
    return two_pools()


@pytest.fixture
def slow() -> Candidate:
    return too_slow()


@pytest.fixture
def proven() -> Candidate:
    return simulated(two_pools(), reason="every limit holds in every pool")


@pytest.fixture
def unproven() -> Candidate:
    return simulated(
        two_pools(), "unproven", high=0.51, reason="TTFT of pool short: 0.443 s [0.376, 0.510] around 0.5 s"
    )


@pytest.fixture
def failed() -> Candidate:
    return simulated(too_slow(), "fail", high=0.47, reason="TTFT of pool all: 0.443 s [0.416, 0.470] above 0.4 s")


@pytest.fixture
def answer() -> Answer:
    best, same = two_pools(), two_pools("5de0", split=8192, cost=72.0)
    return Answer(
        verdict="pass",
        plan=PlanIdentity(id="0199", handle="9f3c", name="chat", scenario="ab" * 32),
        demand=DerivedDemand(rate=100.0, arithmetic="100 requests/s, as given"),
        answer=best,
        why=("one replica less: short .93 busy, TTFT 1.9 s, fails", "one pool instead of two: the same GPUs"),
        candidates=(best, same, too_slow()),
        warnings=("the arrivals are burstier than Poisson: variance over mean 16 at 60 s, and real waits are longer",),
    )


@pytest.fixture
def infeasible() -> Answer:
    return Answer(
        verdict="infeasible",
        plan=PlanIdentity(handle="2d3f"),
        demand=DerivedDemand(rate=100.0, arithmetic="100 requests/s, as given"),
        answer=None,
        why=("a budget of $75.62/h would do",),
        candidates=(too_slow(),),
    )
