"""Hand-made profiles and workloads for the optimizer's tests."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from fleettui.domain.demand import Demand
from fleettui.domain.fleet import Fleet, FleetSketch
from fleettui.domain.hardware import PowerCurve, Profile, StepCost
from fleettui.domain.plan import Answer, PoolFigures
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.optimize.given_fleet import score
from fleettui.optimize.plan import find_plan
from fleettui.optimize.resize import sketch_of

Atoms = tuple[tuple[float, float, float], ...]


def profile(
    name: str = "fast", *, tp: int = 2, speed: float = 1.0, price: float = 2.0, blocks: int = 20_000
) -> Profile:
    """Return a made-up replica; `speed` divides every step time."""
    return Profile(
        name=f"{name}/tp{tp}",
        gpu=name,
        model="made-up",
        dtype="bf16",
        tp=tp,
        price_per_hour=price,
        price_note="made up",
        step=StepCost(
            overhead=0.003 / speed,
            weight_time=0.010 / speed,
            linear_time=4e-5 / speed,
            all_reduce_time=1e-6 / speed,
            context_time=2e-8 / speed,
            attention_time=1e-9 / speed,
        ),
        kv_blocks=blocks,
        block_size=16,
        context=131_072,
        peak=8e15 * speed,
        bandwidth=3e13 * speed,
        flops_per_token=1.4e11,
        attention_flops=2.6e6,
        bytes_per_step=1.4e11,
        kv_bytes_per_token=327_680.0,
        power=PowerCurve(idle=300.0, nominal=600.0, steepness=1.0, midpoint=4.2, confidence="high"),
        gpus_per_node=8,
        model_error=0.25,
    )


def atoms(seed: int, count: int = 40) -> Atoms:
    """Return a random joint workload with long prompts and short answers, and the reverse."""
    rng = np.random.default_rng(seed)
    prompts = np.ceil(rng.lognormal(6.3, 1.0, count)).clip(1, 12_000)
    outputs = np.ceil(rng.lognormal(4.5, 1.0, count)).clip(1, 3_000)
    return tuple(zip(rng.uniform(0.5, 2.0, count).tolist(), prompts.tolist(), outputs.tolist(), strict=True))


def question(*, ttft: float | None = 1.0, **changes: object) -> Question:
    """Return a question with a TTFT limit and whatever else is given."""
    asked = Question(workload="made-up", demand=Demand(form="rate", rate=1.0), slo=Slo(ttft=ttft, tpot=10.0))
    return replace(asked, **changes)  # type: ignore[arg-type]


def plan(
    asked: Question,
    rate: float,
    lengths: Atoms,
    profiles: list[Profile],
    grid: tuple[int, ...] = (300, 700, 1500, 3000),
) -> Answer:
    """Plan for one slice; what several tests ask is searched for once."""
    return _found(asked, rate, lengths, tuple(profiles), grid)


@lru_cache(64)
def _found(
    asked: Question, rate: float, lengths: Atoms, profiles: tuple[Profile, ...], grid: tuple[int, ...]
) -> Answer:
    return find_plan(asked, slices=[(rate, lengths)], profiles=profiles, grid=grid, context=16_384)


def in_each_slice(
    fleet: Fleet, asked: Question, profiles: list[Profile], slices: list[tuple[float, Atoms]]
) -> list[tuple[PoolFigures, ...]]:
    """Return, per pool of a fleet as it stands, its figures in each time slice alone; GPU types tell profiles apart."""
    by_name = {one.gpu: one for one in profiles}
    own = [by_name[pool.gpu] for pool in fleet.pools]
    pools = tuple(sketch_of(pool, pool.replicas, given=False) for pool in fleet.pools)
    sketch = FleetSketch(gamma=fleet.gamma, compressible=fleet.compressible, admission=fleet.admission, pools=pools)
    alone = [score(asked, sketch, own, [part], fleet.pools[-1].up_to).candidate.pools for part in slices]
    return list(zip(*alone, strict=True))
