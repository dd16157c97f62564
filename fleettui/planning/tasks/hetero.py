"""The task of `hetero`: a fleet whose roles have GPUs of two types, at the highest rate that keeps every limit."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.frontier import FrontierAsked, FrontierPoint
from fleettui.domain.hardware import Gpu, Profile
from fleettui.domain.hetero import Allocation, Role
from fleettui.hardware import catalog
from fleettui.optimize.mixed_roles import Mixed, allocation
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.asked_profile import asked_profile
from fleettui.planning.tasks.frontier import made_of
from fleettui.planning.tasks.simulation_inputs import scene_of


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

    mixed = Mixed(
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
    return allocation(mixed, context.check)
