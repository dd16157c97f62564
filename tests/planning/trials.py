"""Fleets at sizes and the evidence on them, for the tests of the search by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.fleet import Fleet, Pool, PoolProfile
from fleettui.domain.plan import Candidate, Estimate, Evidence, PoolEvidence, PoolFigures, Verdict
from fleettui.domain.size_curve import SizeCurve
from fleettui.planning.walk import Sizes

NAMES = ("short", "long", "longest")


def figures(name: str, utilization: float) -> PoolFigures:
    """Return a pool's figures, of which only the utilization matters."""
    return PoolFigures(
        name=name,
        arrival_rate=10.0,
        utilization=utilization,
        batch=5.0,
        probability_of_wait=0.1,
        wait=0.0,
        prefill=0.1,
        ttft=0.2,
        tpot=0.01,
        e2e=3.0,
        mfu=0.3,
        bandwidth_use=0.4,
        longest_step=0.06,
        power=1e4,
        limited_by="weight reads",
        margin=0.1,
    )


def shape(*sizes: int, gpu: str = "h100", price: float = 1.0, work: Sequence[float] | None = None) -> Candidate:
    """Return the formula's fleet of `sizes`, whose pools are busy for `work` replicas (by default, half of them)."""
    busy = work or [size / 2 for size in sizes]
    pools = tuple(
        Pool(
            name=NAMES[place],
            gpu=gpu,
            model="made-up",
            dtype="bf16",
            tp=2,
            replicas=size,
            context=1000 * (place + 1),
            concurrency=64,
            max_num_seqs=64,
            token_budget=2048,
            above=1000 * place,
            up_to=1000 * (place + 1),
            profile=PoolProfile(
                base_step_time=0.01, time_per_context_token=1e-7, time_per_prompt_token=1e-5, kv_blocks=1000
            ),
        )
        for place, size in enumerate(sizes)
    )
    return Candidate(
        gpus=2 * sum(sizes),
        cost_per_hour=price * sum(sizes),
        cost_per_million_output_tokens=1.0,
        power=1e4,
        gpus_range=(1, 2),
        model_error=0.25,
        fleet=Fleet(pools=pools),
        pools=tuple(figures(name, own / size) for name, own, size in zip(NAMES, busy, sizes, strict=False)),
    )


def curves(one: Candidate) -> tuple[SizeCurve, ...]:
    """Return the curves of a fleet's pools under one limit, which each just keeps at its size: in proportion to it.

    A replica costs as much in all of them.
    """
    price = one.cost_per_hour / one.gpus
    return tuple(curve(pool.replicas, gpu=pool.gpu, price=price) for pool in one.fleet.pools)


def curve(size: int, gpu: str = "h100", price: float = 1.0) -> SizeCurve:
    """Return the curve of a pool of replicas of two GPUs that just keeps its limit at a size."""
    sizes = tuple(range(1, 4 * size + 1))
    return SizeCurve(
        gpu=gpu,
        price=price,
        lot=1,
        sizes=sizes,
        gpus=tuple(2.0 * one for one in sizes),
        watts=tuple(1e3 * one for one in sizes),
        shares=(tuple(size / one for one in sizes),),
    )


def scaled(one: Candidate, sizes: Sizes, price: float = 1.0) -> Candidate:
    """Return a fleet at other sizes."""
    pools = tuple(replace(pool, replicas=size) for pool, size in zip(one.fleet.pools, sizes, strict=True))
    return replace(
        one, fleet=replace(one.fleet, pools=pools), gpus=2 * sum(sizes), cost_per_hour=price * sum(sizes), evidence=None
    )


def seen(name: str, ttft: tuple[float, float] | None, verdict: Verdict | None = None) -> PoolEvidence:
    """Return a pool's evidence with the interval of TTFT (None: of no width known) and the verdict on it alone."""
    low, high = ttft or (None, None)
    return PoolEvidence(
        name=name,
        ttft=Estimate(value=0.4, low=low, high=high),
        tpot=Estimate(value=0.015, low=0.01, high=0.02),
        utilization=0.7,
        batch=9.0,
        verdict=verdict,
    )


def evidence(verdict: Verdict, *pools: PoolEvidence, reason: str = "") -> Evidence:
    """Return the evidence that some pools give together."""
    nothing = Estimate(value=None)
    return Evidence(method="simulation", verdict=verdict, reason=reason, ttft=nothing, attainment=nothing, pools=pools)
