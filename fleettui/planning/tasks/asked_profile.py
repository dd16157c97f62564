"""The profile of one replica as a question asks for it: its engine, law, overheads and prices, and its own fit."""

from __future__ import annotations

from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.hardware import Gpu, Model, Profile
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.hardware.graph_bins import graphed
from fleettui.hardware.own_fit import fitted
from fleettui.hardware.power_cap import capped
from fleettui.hardware.profile import build_profile
from fleettui.hardware.public_runs import corrected


def asked_profile(
    question: Question,
    gpu: Gpu,
    model: Model,
    *,
    dtype: Dtype,
    tp: int,
    kv_dtype: CacheDtype | None,
    expert_parallel: bool,
    sequences: int | None,
    pp: int = 1,
    attention_dp: bool = False,
    layout: str = "",
    speculative: str = "",
) -> Profile:
    """Return the profile of `model` on `pp` stages of `tp` GPUs as asked; raises what `build_profile` and `fitted` do.

    `sequences` are those that its memory has room for at least, the usual number where that is None; `kv_dtype` None is
    the engine's own.
    """
    profile = build_profile(
        gpu,
        model,
        dtype=dtype,
        tp=tp,
        engine=question.engine,
        engine_overhead=question.engine_overhead,
        front_end=question.front_end,
        api_token=question.api_token,
        memory_share=question.memory_share,
        price=dict(question.prices).get(gpu.name),
        sequences=sequences,
        step_law=question.step_law,
        kv_dtype=kv_dtype,
        expert_parallel=expert_parallel,
        tuning=question.tuning,
        pp=pp,
        attention_dp=attention_dp,
        layout=layout,
        speculative=speculative,
        chosen=question.expert_load,
    )
    cap = question.power_cap
    if isinstance(cap, str):
        raise InputError(
            "only a plan searches for a cap, which then is in watts",
            where="--power-cap",
            value=cap,
            accepted="watts: 500W",
        )
    if question.fit is None or question.fit_of(profile) is None:
        own = corrected(profile, question.engine)
    else:
        own = fitted(profile, question.fit, engine=question.engine, front_end=question.front_end)
    return graphed(capped(own, cap), question.graph_bins, question.engine)
