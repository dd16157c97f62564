"""A pool as a fleet holds it, built of its hardware and what that does."""

from __future__ import annotations

from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.fleet import Pool, PoolProfile
from fleettui.domain.hardware import Profile, StepTable
from fleettui.queueing.service import Service


def engine_of(service: Service, row: int, profile: Profile) -> PoolProfile:
    """Return what a row of `service` makes of `profile`, as a fleet holds it."""
    return PoolProfile(
        base_step_time=float(service.base[row]),
        time_per_context_token=float(service.per_context[row]),
        time_per_prompt_token=float(service.per_prompt[row]),
        kv_blocks=profile.kv_blocks,
        front_end=float(service.front_end[row]),
        by_kernels=isinstance(profile.step, StepTable),
        api_token=float(service.api_token[row]),
        block_size=profile.block_size,
    )


def pool_of(
    profile: Profile,
    settings: EngineSettings,
    service: Service,
    row: int,
    *,
    name: str,
    replicas: int,
    spares: int = 0,
    lengths: tuple[int, int],
    context: int | None = None,
) -> Pool:
    """Return a pool of `profile`'s replicas, set as `settings` have it, whose engine is a row of `service`.

    It serves requests of more than the first and up to the second of `lengths` total tokens, by default as its context.
    """
    above, up_to = lengths
    return Pool(
        name=name,
        gpu=profile.gpu,
        model=profile.model,
        dtype=profile.dtype,
        kv_dtype=profile.kv_dtype,
        expert_parallel=profile.expert_parallel,
        tp=profile.tp,
        replicas=replicas,
        spares=spares,
        context=up_to if context is None else context,
        concurrency=int(service.concurrency[row]),
        max_num_seqs=settings.max_num_seqs,
        token_budget=settings.token_budget,
        prompt_steps=settings.prompt_steps,
        pp=profile.pp,
        attention_dp=profile.attention_dp,
        layout=profile.layout,
        speculative=profile.speculative,
        above=above,
        up_to=up_to,
        profile=engine_of(service, row, profile),
    )
