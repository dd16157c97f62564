"""Serving profiles: one worked out for a look, and predictions held to measurements."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.hardware import STOCK, Profile, StepLaw, Tuning
from fleettui.domain.validation import Setup, Validation
from fleettui.planning.worker_pool import WorkerPool, borrowed
from fleettui.planning.worker_process import Report


async def show_profile(
    gpu: str,
    model: str,
    dtype: Dtype | None,
    tp: int,
    *,
    engine: str = "vllm",
    step_law: StepLaw = "kernels",
    engine_overhead: float | None = None,
    kv_dtype: CacheDtype | None = None,
    expert_parallel: bool = False,
    tuning: Tuning = STOCK,
    pp: int = 1,
    attention_dp: bool = False,
    speculative: str = "",
    graph_bins: str = "",
    expert_load: str = "",
    layout: str = "",
    pool: WorkerPool | None = None,
) -> Profile:
    """Return the profile of a replica of `model` on `pp` stages of `tp` GPUs; raises InputError where it does not fit.

    `dtype` None is that of the published weights; `engine_overhead` (seconds a step) and `kv_dtype` replace the serving
    engine's own at the level `tuning`. `speculative` says how drafts are made and accepted, empty where none are;
    `graph_bins` to what steps are padded, `expert_load` how experts are chosen, and a
    `layout` how a stage is divided, in place of `tp` and flags.
    """
    async with borrowed(pool) as workers:
        return await workers.run(
            "profile-show",
            Profile,
            gpu=gpu,
            model=model,
            dtype=dtype,
            tp=tp,
            engine=engine,
            step_law=step_law,
            engine_overhead=engine_overhead,
            kv_dtype=kv_dtype,
            expert_parallel=expert_parallel,
            tuning=tuning,
            pp=pp,
            attention_dp=attention_dp,
            speculative=speculative,
            graph_bins=graph_bins,
            expert_load=expert_load,
            layout=layout,
        )


async def validate(
    paths: Sequence[str],
    *,
    setup: Setup | None = None,
    step_law: StepLaw = "kernels",
    report: Report | None = None,
    pool: WorkerPool | None = None,
) -> Validation:
    """Return predicted against measured for the benchmark runs in files; raises InputError.

    `setup` says what they do not.
    """
    async with borrowed(pool) as workers:
        return await workers.run(
            "profile-validate", Validation, report, paths=tuple(paths), setup=setup or Setup(), step_law=step_law
        )
