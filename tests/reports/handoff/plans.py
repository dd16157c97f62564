"""Plans that differ in engine, pools, numbers, division, nodes, router and names, made without a store."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from fleettui.domain.confidence import Confidence
from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.plan import Candidate, PlanIdentity
from fleettui.domain.slo import Slo
from fleettui.domain.workload import LengthDistribution, TimeSlice, Workload
from fleettui.reports.handoff.model import Subject
from fleettui.reports.report.model import Kept
from fleettui.reports.studies.autoscale import autoscale_study
from tests.reports.studies.test_autoscale import ASKED, KEDA, PEAK, POOL, figures
from tests.store import samples

HOSTILE = "a\"b'c`id`$(touch x)${HOME}\n- y: |\x1b[31m #\\ {{z}} λ\u2028%s"
"""Signs that end strings, comments, lines or commands somewhere, or begin something."""
MADE = "2026-03-01T12:00:00.000Z"


def kept(**asked: Any) -> Kept:
    """Return a plan that was proven by simulation; `asked` are fields of its question."""
    best = replace(samples.candidate(), evidence=samples.simulated())
    inputs = samples.inputs("chat")
    question = replace(inputs["scenario"].question, **asked)
    answer = replace(samples.answer(), plan=identity("chat"), answer=best, candidates=(best,), warnings=())
    return Kept(
        answer=answer,
        scenario=replace(inputs["scenario"], question=question),
        workload=inputs["workload"],
        profiles=inputs["profiles"],
        provenance=inputs["provenance"],
    )


def identity(name: str) -> PlanIdentity:
    return PlanIdentity(id="0199", handle="9f3c", name=name, scenario="5ce0", created=MADE)


def changed(given: Kept, **answer: Any) -> Kept:
    """Return a plan with fields of its answer replaced."""
    return replace(given, answer=replace(given.answer, **answer))


def with_fleet(given: Kept, change: Callable[[Candidate], Candidate]) -> Kept:
    """Return a plan with another fleet."""
    best = given.answer.answer
    assert best is not None
    return changed(given, answer=change(best))


def with_pools(given: Kept, **pool: Any) -> Kept:
    """Return a plan with fields of every pool replaced."""

    def change(best: Candidate) -> Candidate:
        return replace(best, fleet=replace(best.fleet, pools=tuple(replace(one, **pool) for one in best.fleet.pools)))

    return with_fleet(given, change)


def alone(given: Kept, router: str = "length", **pool: Any) -> Kept:
    """Return a plan of one pool, the first."""

    def change(best: Candidate) -> Candidate:
        only: Pool = replace(best.fleet.pools[0], **pool)
        evidence = None if best.evidence is None else replace(best.evidence, pools=best.evidence.pools[:1])
        fleet = Fleet(router=router, pools=(only,))
        return replace(best, gpus=fleet.gpus, fleet=fleet, pools=best.pools[:1], evidence=evidence)

    return with_fleet(given, change)


def by_formula(given: Kept) -> Kept:
    return with_fleet(given, lambda best: replace(best, evidence=None))


def unsure(given: Kept) -> Kept:
    """Return a plan whose fleet suffices in half of the cases."""
    return changed(given, confidence=Confidence(holds=0.5, replicas=(5, 2), gpus=28, cost=120.0, span=(12, 32)))


def hostile() -> Kept:
    """Return a plan whose names try to break out of whatever they stand in."""
    first, second = ("short\n---\nkind: Secret", "`reboot`; $(reboot)")

    def change(best: Candidate) -> Candidate:
        short, long = best.fleet.pools
        pools = (replace(short, name=first, model=HOSTILE), replace(long, name=second, model=HOSTILE))
        return replace(best, fleet=replace(best.fleet, pools=pools))

    given = with_fleet(by_formula(kept(model=HOSTILE)), change)
    return changed(given, plan=identity(HOSTILE), verdict="unproven", warnings=(HOSTILE,))


def idle_and_swamped() -> Kept:
    """Return a failing plan whose first pool gets no request and whose second keeps up with none."""

    def change(best: Candidate) -> Candidate:
        short, long = best.pools
        idle = replace(short, arrival_rate=0.0, batch=0.0, utilization=0.0, ttft=math.nan, tpot=math.nan, e2e=math.nan)
        swamped = replace(long, utilization=1.4, wait=math.inf, ttft=math.inf, e2e=math.inf, batch=math.nan)
        return replace(best, pools=(idle, swamped))

    return changed(with_fleet(by_formula(kept()), change), verdict="fail")


def of_marginals(given: Kept) -> Kept:
    """Return a plan whose workload knows prompts and outputs apart alone."""
    lengths = LengthDistribution(kind="marginals", prompt_cdf=((1000, 1.0),), output_cdf=((200, 0.5), (600, 1.0)))
    return replace(
        given, workload=Workload(name="x", slices=(TimeSlice(start=0, duration=1, rate=1.0, lengths=lengths),))
    )


BESIDE: Mapping[str, Any] = {"kv_offload": "100GB@25GB/s", "prefix_cache": True, "step_law": "kernels"}
"""A memory beside prefix caches, in a plan by kernels."""
PLANS: Mapping[str, Callable[[], Kept]] = {
    "two pools": kept,
    "one pool": lambda: alone(kept()),
    "random": lambda: alone(kept(), "random", spares=2),
    "formula": lambda: by_formula(kept(slo=Slo(), arrivals="gamma:cv=2")),
    "nodes": lambda: alone(kept(), tp=8, pp=2),
    "experts": lambda: with_pools(kept(prefix_hit=0.5), dtype="fp8-block", kv_dtype="fp8", expert_parallel=True),
    "sglang": lambda: with_pools(kept(engine="sglang"), prompt_steps="alone", dtype="bf16"),
    "sglang nodes": lambda: alone(kept(engine="sglang"), tp=8, pp=2),
    "trtllm": lambda: with_pools(unsure(kept(engine="trtllm")), kv_dtype="fp8"),
    "trtllm whole": lambda: with_pools(kept(engine="trtllm"), prompt_steps="whole"),
    "whole": lambda: with_pools(kept(), prompt_steps="whole"),
    "drafts": lambda: with_pools(kept(), speculative="mtp:3@79%/48%/22%"),
    "sglang drafts": lambda: with_pools(kept(engine="sglang"), speculative="llama-3.1-8b:4@65%"),
    "trtllm drafts": lambda: with_pools(kept(engine="trtllm"), speculative="mtp:2@70%"),
    "beside": lambda: with_pools(kept(**BESIDE, graph_bins="decode:1,2,4,8-32/8")),
    "sglang beside": lambda: with_pools(kept(**BESIDE, engine="sglang", graph_bins="1,2,4,8-32/8")),
    "trtllm beside": lambda: with_pools(kept(**BESIDE, engine="trtllm", graph_bins="decode:1,2,4")),
    "hostile": hostile,
    "idle and swamped": idle_and_swamped,
}
"""By a word on what is particular."""


def subject(name: str) -> Subject:
    """Return one of the plans, to be deployed; replicas of 16 GPUs span nodes of eight."""
    given = PLANS[name]()
    best = given.answer.answer
    assert best is not None
    sample = given.profiles[0]
    kinds = (
        replace(
            sample,
            gpu=pool.gpu,
            model=pool.model,
            dtype=pool.dtype,
            kv_dtype=pool.kv_dtype,
            tp=pool.tp,
            expert_parallel=pool.expert_parallel,
            pp=pool.pp,
            speculative=pool.speculative,
        )
        for pool in best.fleet.pools
    )
    return Subject.of(replace(given, profiles=tuple(kinds)))


def studied(deployed: Subject) -> Subject:
    """Return a plan of which a day has been replayed, 50 requests in service at a replica, 2 to 20 replicas."""
    own = replace(POOL, site=replace(POOL.site, least=2))
    pools = [replace(own, name=part.pool.name) for part in deployed.pools]
    given = [PEAK, KEDA, figures("hpa-in-flight", 280.0, 0.995), figures("estimator-beta", 260.0, 0.991)]
    given = [replace(one, by_pool=one.by_pool * len(pools), choices=one.choices * len(pools)) for one in given]
    study = replace(autoscale_study(ASKED, pools, given), handle="ab05")
    return replace(deployed, kept=replace(deployed.kept, studies=(study,)))


def slow(deployed: Subject) -> Subject:
    """Return a plan whose pools get a request a second."""
    parts = (replace(one, figures=replace(one.figures, arrival_rate=1.0)) for one in deployed.pools)
    return replace(deployed, pools=tuple(parts))
