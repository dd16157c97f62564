"""The tasks of `hetero`: fleets whose roles have GPUs of two types, at the highest rate that keeps every limit.

By formula every limit; in a simulated run those on TTFT and TPOT, and load by formula. What a dollar buys then is
compared run by run.
"""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.frontier import FrontierAsked, FrontierPoint
from fleettui.domain.hardware import Gpu, Profile
from fleettui.domain.hetero import Allocation, Role
from fleettui.domain.plan import Estimate
from fleettui.hardware import catalog
from fleettui.optimize.mixed_roles import Mixed, allocation
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.asked_profile import asked_profile
from fleettui.planning.tasks.frontier import made_of, replicate_apart
from fleettui.planning.tasks.simulation_inputs import scene_of
from fleettui.planning.tasks.verification import make_ready
from fleettui.simulation.statistics import estimate

MORE, HALVINGS = 1.6, 7
"""Part of the rate by formula up to which the simulated one is looked for, and halvings of that: to 1.3 % of it."""


def run(
    context: Context,
    *,
    source: SceneSource,
    asked: FrontierAsked,
    base: FrontierPoint,
    cheaper: str,
    price: float,
    roles: tuple[Role, ...],
) -> Allocation:
    """Return `base` with the `roles` on GPUs `cheaper`, at US dollars an hour each, at its highest rate that holds."""
    context.progress(f"{', '.join(roles) or 'no role'} on {cheaper}")
    return allocation(_mixed(source, asked, base, roles, cheaper=cheaper, price=price), context.check)


def play(
    context: Context,
    *,
    source: SceneSource,
    asked: FrontierAsked,
    row: Allocation,
    cheaper: str,
    price: float,
    limits: tuple[float, float],
    seed: int,
    index: int,
) -> float:
    """Return the output tokens/s of an allocation at the highest rate that keeps the `limits` in replication `index`.

    They are seconds of TTFT and TPOT. It is looked for up to MORE times the rate that holds by formula.
    """
    make_ready(context.progress)
    mixed = _mixed(source, asked, row.base, row.roles, cheaper=cheaper, price=price)
    profiles, made = mixed.profiles(mixed.gpu), mixed.made

    def holds(rate: float) -> bool:
        context.check()
        pair = mixed.pair(rate, profiles)
        figures = None if pair is None else pair.figures(*mixed.sizes)
        if pair is None or figures is None or not made.keeps_up(figures):
            return False
        there, sides = replace(made, slices=mixed.slices_at(rate)), (pair.prefill.profile, pair.decode.profile)
        seen = replicate_apart(there, figures.fleet, sides, seed=seed, index=index).pools[0]
        return (seen.ttft or 0.0) <= limits[0] and (seen.tpot or 0.0) <= limits[1]

    low, high = 0.0, MORE * row.tokens
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if holds(row.base.rate * middle / row.base.tokens) else (low, middle)
    return low


def gain(context: Context, *, plain: tuple[float, ...], other: tuple[float, ...], spend: float) -> Estimate:
    """Return how many times the tokens for a dollar the `other` fleet has, run by run, where it costs 1/`spend`."""
    context.check()
    return estimate([spend * one / own if own else None for one, own in zip(other, plain, strict=True)])


def _mixed(
    source: SceneSource,
    asked: FrontierAsked,
    base: FrontierPoint,
    roles: tuple[Role, ...],
    *,
    cheaper: str,
    price: float,
) -> Mixed:
    made = made_of(source, asked)

    def profile(gpu: Gpu, tp: int, per_hour: float) -> Profile:
        like, question = made.profiles[0], made.question
        return asked_profile(
            replace(question, prices=((gpu.name, per_hour),)),
            gpu,
            catalog.model(question.model),
            dtype=like.dtype,
            tp=tp,
            kv_dtype=like.kv_dtype,
            expert_parallel=False,
            sequences=question.max_num_seqs,
        )

    return Mixed(
        base=base,
        made=made,
        own=catalog.gpu(asked.gpu),
        cheaper=catalog.gpu(cheaper),
        price=price,
        roles=roles,
        slices_at=scene_of(source).case.at,
        profile_of=profile,
        link=asked.link,
    )
