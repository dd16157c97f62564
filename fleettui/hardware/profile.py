"""The serving profile of a GPU and a model: everything that sizing needs to know about one replica."""

from __future__ import annotations

from fleettui.domain import checks
from fleettui.domain.dtype import DTYPE_BYTES, Dtype
from fleettui.domain.fleet import BLOCK_SIZE
from fleettui.domain.hardware import SEQUENCES, Citation, Gpu, Model, Price, Profile
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.fit import DoesNotFit
from fleettui.hardware.gpu_record import OF_A_PROFILE
from fleettui.hardware.memory import cache_budget
from fleettui.hardware.roofline import (
    all_read,
    attention_flops,
    flops_per_token,
    step_cost,
)

__all__ = ["DEFAULT_ENGINE", "UNCALIBRATED_ERROR", "DoesNotFit", "build_profile", "no_price", "price_note"]

UNCALIBRATED_ERROR = 0.25
"""Relative error of step times of a roofline that was fitted to no measurement of the user's."""
DEFAULT_ENGINE = "vllm"


def build_profile(
    gpu: Gpu,
    model: Model,
    *,
    dtype: Dtype,
    tp: int,
    engine: str = DEFAULT_ENGINE,
    engine_overhead: float | None = None,
    price: float | None = None,
    sequences: int | None = None,
) -> Profile:
    """Return the profile of one replica of `model` on `tp` GPUs, whose memory has room for `sequences` at least.

    `engine_overhead` (seconds a step) and `price` (US dollars for one GPU for one hour) replace the catalogue's.
    Raises DoesNotFit, naming ways that fit, where memory, precision or heads do not allow it; InputError otherwise, as
    for a GPU without a price of either kind.
    """
    serving = catalog.engine(engine)
    overhead = serving.overhead if engine_overhead is None else engine_overhead
    checks.not_negative("engine overhead", overhead)
    per_hour, note = _priced(gpu, price)
    budget = cache_budget(gpu, model, dtype=dtype, tp=tp, sequences=sequences or SEQUENCES)
    cost = step_cost(gpu, model, dtype=dtype, tp=tp, engine_overhead=overhead, cache=budget.cache)
    peak = gpu.peak(dtype)
    assert peak is not None, f"step_cost let {dtype} on {gpu.name} pass"
    return Profile(
        name=f"{gpu.name}/{model.name}/{dtype}/tp{tp}",
        gpu=gpu.name,
        model=model.name,
        dtype=dtype,
        tp=tp,
        price_per_hour=per_hour,
        price_note=note,
        step=cost,
        kv_blocks=budget.blocks,
        block_size=BLOCK_SIZE,
        context=model.context,
        peak=peak * tp,
        bandwidth=gpu.bandwidth * tp,
        flops_per_token=flops_per_token(model),
        attention_flops=attention_flops(model),
        bytes_per_step=all_read(model) * DTYPE_BYTES[dtype],
        kv_bytes_per_token=budget.cache.per_token_per_gpu(model, tp) * tp,
        power=gpu.power,
        gpus_per_node=gpu.gpus_per_node,
        model_error=UNCALIBRATED_ERROR,
        memory=budget.lines,
        citations=_citations(gpu, model, serving.citations if engine_overhead is None else ()),
        sequences=(sequences or SEQUENCES) if budget.cache.fixed_per_gpu(model, tp) else 0,
        settings=serving.settings_on(gpu),
    )


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


def _citations(gpu: Gpu, model: Model, engine: tuple[Citation, ...]) -> tuple[Citation, ...]:
    def under(prefix: str, cited: tuple[Citation, ...]) -> tuple[Citation, ...]:
        return tuple(
            Citation(field=f"{prefix}.{one.field}", source=one.source, confidence=one.confidence) for one in cited
        )

    used = tuple(one for one in gpu.citations if one.field in OF_A_PROFILE)
    return under("gpu", used) + under("model", model.citations) + under("engine", engine)
