"""The serving profile of a GPU and a model: everything that sizing needs to know about one replica."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from fleettui.domain import checks
from fleettui.domain.dtype import CacheDtype, Dtype, Units
from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.expert_load import expert_load
from fleettui.domain.hardware import (
    SEQUENCES,
    STOCK,
    Citation,
    Gpu,
    Model,
    Price,
    Profile,
    StepLaw,
    StepTable,
    Tuning,
)
from fleettui.domain.layout import layout as layout_of
from fleettui.domain.replica import replica_name
from fleettui.domain.speculation import speculation
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.drafter import CITATION, drafter_of, payoff
from fleettui.hardware.engine_record import Engine
from fleettui.hardware.engine_rules import MemoryRule
from fleettui.hardware.error_band import band_of
from fleettui.hardware.fit import DoesNotFit
from fleettui.hardware.formats import peak
from fleettui.hardware.gpu_record import OF_A_PROFILE
from fleettui.hardware.load_words import load_words
from fleettui.hardware.memory import cache_budget
from fleettui.hardware.power_laws import power_citation, power_law
from fleettui.hardware.replica_step import step_of
from fleettui.hardware.roofline import attention_flops, flops_per_token
from fleettui.hardware.weights import weights_of

__all__ = ["DEFAULT_ENGINE", "DoesNotFit", "build_profile", "no_price", "price_note"]

DEFAULT_ENGINE = "vllm"
OF_LOAD = Citation(
    field="expert load",
    source=(
        "as given; kernels of experts that are chosen evenly, with as many tokens as the fullest rank has: no run of a "
        "server with a known load was held to it"
    ),
    confidence="low",
)


OF_MEMORY = Citation(field="engine.memory share", source="as given", confidence="high")


def build_profile(
    gpu: Gpu,
    model: Model,
    *,
    dtype: Dtype,
    tp: int,
    engine: str = DEFAULT_ENGINE,
    engine_overhead: float | None = None,
    front_end: float | None = None,
    api_token: float | None = None,
    memory_share: float | None = None,
    price: float | None = None,
    sequences: int | None = None,
    step_law: StepLaw = "roofline",
    kv_dtype: CacheDtype | None = None,
    expert_parallel: bool = False,
    tuning: Tuning = STOCK,
    pp: int = 1,
    attention_dp: bool = False,
    speculative: str = "",
    chosen: str = "",
    layout: str = "",
) -> Profile:
    """Return the profile of one replica of `model` on `pp` stages of `tp` GPUs, with `attention_dp` or without.

    Its memory has room for `sequences` at least. `engine_overhead` (seconds a step), `front_end` (seconds a request),
    `api_token` (seconds of the API process for an output token), `memory_share` (of a GPU's memory, as the engine
    counts it) and `price` (US dollars for one GPU for one hour) replace the catalogue's; cached numbers are in
    `kv_dtype`, or as the model, the engine's settings at the level `tuning` or the engine has them. By `step_law` a
    step is the sum of measured kernels, or the roofline. Its steps verify drafts where it is `speculative`; experts are
    `chosen` by a load that is said, else as they were measured. A `layout` says of how many of its `tp` GPUs lanes and
    groups that hold experts are.
    Raises DoesNotFit, naming ways that fit, where memory, precision or heads do not allow it; InputError otherwise, as
    for a GPU without a price of either kind.
    """
    taken = None if memory_share is None else MemoryRule(share=memory_share)
    serving = catalog.engine(engine).built(gpu, tuning).taking(taken)
    if engine_overhead is not None:
        checks.not_negative("engine overhead", engine_overhead)
    in_front = serving.front_end.request if front_end is None else front_end
    checks.not_negative("front end", in_front)
    handing_out = serving.front_end.output_token if api_token is None else api_token
    checks.not_negative("API process", handing_out)
    per_hour, note = _priced(gpu, price)
    settings = serving.settings_on(gpu, tuning)
    rules = serving.rules
    kept = kv_dtype or model.native_cache or settings.kv_dtype or rules.cache.kv_dtype
    said = speculation(speculative) if speculative else None
    drafter = drafter_of(model, said) if said else None
    load = expert_load(chosen) if chosen else None
    divided = layout_of(layout) if layout else None
    if divided:
        divided.check(model)
    ways = divided.attention_tp if divided else 1 if attention_dp else tp
    budget = cache_budget(
        gpu,
        model,
        dtype=dtype,
        tp=tp,
        engine=serving,
        tuning=tuning,
        kv_dtype=kept,
        sequences=sequences or SEQUENCES,
        pp=pp,
        ways=ways,
        drafter=drafter,
    )
    weights = weights_of(gpu, model, dtype)
    units = weights.fastest(gpu)
    steps = partial(
        step_of,
        gpu,
        model,
        dtype=dtype,
        tp=tp,
        engine=serving,
        engine_overhead=engine_overhead,
        step_law=step_law,
        cache=budget.cache,
        expert_parallel=expert_parallel,
        pp=pp,
        attention_dp=attention_dp,
        load=load,
        layout=divided,
    )
    step = steps(said=said)
    told: tuple[str, ...] = ()
    if said and isinstance(step, StepTable):
        plain = steps()
        assert isinstance(plain, StepTable), "by the same law"
        told = payoff(step, plain, said)
    chosen_so = ""
    if load and isinstance(step, StepTable):
        plain = steps(said=said, load=None)
        assert isinstance(plain, StepTable), "by the same law"
        ranks = divided.feed_forward_ep if divided else tp if expert_parallel else 1
        chosen_so = load_words(load, model, ranks=ranks, step=step, plain=plain)
    drafts_read = said.drafts * weights_of(gpu, drafter, dtype).always if said and drafter else 0.0
    known = band_of(gpu.name, model, serving.family, step, pp=pp)
    return Profile(
        name=replica_name(
            (
                gpu.name,
                model.name,
                dtype,
                kept,
                tp,
                expert_parallel,
                pp,
                attention_dp,
                layout,
                said.text if said else "",
            )
        ),
        gpu=gpu.name,
        model=model.name,
        dtype=dtype,
        tp=tp,
        price_per_hour=per_hour,
        price_note=note,
        step=step,
        kv_blocks=budget.blocks,
        block_size=rules.cache.block_size,
        context=model.context,
        peak=peak(gpu, units) * tp * pp,
        bandwidth=gpu.bandwidth * tp * pp,
        flops_per_token=flops_per_token(model),
        attention_flops=attention_flops(model),
        bytes_per_step=weights.read_per_gpu(tp, ways) * ways + drafts_read,
        kv_bytes_per_token=budget.cache.per_token_per_gpu(model, ways) * ways,
        power=power_law(gpu, experts=model.experts > 0),
        gpus_per_node=gpu.gpus_per_node,
        model_error=known.error,
        memory=budget.lines,
        citations=(
            *_citations(
                gpu,
                model,
                (
                    *(
                        _of_engine(serving, step_law, serving.settings_citations(gpu, tuning))
                        if engine_overhead is None
                        else ()
                    ),
                    *((serving.front_end.citation,) if front_end is None else ()),
                ),
                units,
            ),
            known.citation,
            *([CITATION] if said else []),
            *([OF_LOAD] if load else []),
            *([OF_MEMORY] if taken else []),
        ),
        sequences=(sequences or SEQUENCES) if budget.cache.fixed_per_gpu(model, ways) else 0,
        settings=_settings(settings.settings, step_law, lanes=tp // ways if rules.division.of_all_lanes else 1),
        front_end=in_front,
        api_token=handing_out,
        band=known.factors,
        evidence=known.words,
        kv_dtype=kept,
        expert_parallel=expert_parallel,
        units=None if units == dtype else units,
        pp=pp,
        attention_dp=attention_dp,
        layout=layout,
        speculative=said.text if said else "",
        drafts=told,
        expert_load=chosen_so,
        room=serving.room_on(gpu, tuning, gpus=tp * pp, lanes=tp // ways),
    )


def _settings(settings: EngineSettings, step_law: StepLaw, *, lanes: int) -> EngineSettings:
    """Return an engine's settings in each of the `lanes` that share the tokens of a step.

    The roofline's line has no steps of prompts alone, and takes them as mixed.
    """
    own = replace(settings, token_budget=max(1, settings.token_budget // lanes))
    return replace(own, prompt_steps="mixed") if own.alone and step_law == "roofline" else own


def _of_engine(engine: Engine, step_law: StepLaw, settings: tuple[Citation, ...]) -> tuple[Citation, ...]:
    """Return the sources of what the engine adds under a law, and of its settings."""
    other = {"kernels": "overhead", "roofline": "terms"}[step_law]
    return (*(one for one in engine.citations if one.field != other), *settings)


def _priced(gpu: Gpu, price: float | None) -> tuple[float, str]:
    """Return US dollars for one GPU for one hour, and the offer behind them."""
    if price is not None:
        checks.not_negative("price per hour", price)
        return price, "given"
    if gpu.price is None:
        raise InputError(f"no price of {gpu.name} is known", remedy=f"give yours, {_example(gpu.name)}")
    return gpu.price.per_hour, price_note(gpu.price)


def no_price(gpu: str) -> str:
    """Return what stands in place of the offer of a GPU whose price nobody knows."""
    return f"no price is known; plans need one, {_example(gpu)}"


def _example(gpu: str) -> str:
    return f"in US dollars for one GPU for one hour: --price {gpu}=..."


def price_note(price: Price) -> str:
    """Return the offer behind a price in one line."""
    return f"{price.purchase}, {price.provider}, region {price.region}, {price.date}, {price.url}"


def _citations(gpu: Gpu, model: Model, engine: tuple[Citation, ...], units: Units) -> tuple[Citation, ...]:
    def under(prefix: str, cited: tuple[Citation, ...]) -> tuple[Citation, ...]:
        return tuple(
            Citation(field=f"{prefix}.{one.field}", source=one.source, confidence=one.confidence) for one in cited
        )

    used = tuple(one for one in gpu.citations if one.field in (*OF_A_PROFILE, f"peak_{units}"))
    return under("gpu", (*used, power_citation(gpu))) + under("model", model.citations) + under("engine", engine)
