"""Cache blocks that a replica has, with the arithmetic as printable lines, or why the model does not fit."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from fleettui.domain.dtype import DTYPES, CacheDtype, Dtype
from fleettui.domain.engine_settings import Room
from fleettui.domain.fleet import WATERMARK, counted
from fleettui.domain.hardware import SEQUENCES, STOCK, Gpu, Model, Tuning
from fleettui.hardware import catalog
from fleettui.hardware.engine_record import Engine
from fleettui.hardware.fit import PIPELINE, TENSOR_PARALLEL, DoesNotFit, check_fit
from fleettui.hardware.sequence_cache import SequenceCache, counted_in_full, forms
from fleettui.hardware.weights import weights_of

MEBIBYTE = 2.0**20
NCCL_BYTES = {1: 0.0, 2: 342 * MEBIBYTE, 4: 392 * MEBIBYTE, 8: 392 * MEBIBYTE}
"""Buffers of the collectives by tensor parallelism, from the system files of ai-dynamo/aiconfigurator."""
ACTIVATION_FLOOR = 1024 * MEBIBYTE
ACTIVATION_TOKENS = 2048
ACTIVATION_ROWS = 16
GIGABYTE = 1e9
USEFUL_CONTEXT = 16_384
"""Tokens of one request that a way holds to be named: those of the shipped conversations take up to 14,089."""
NOTHING_SERVES = f"a smaller model: no known GPU holds it and {USEFUL_CONTEXT:,} tokens at tensor parallelism 8"


class MemoryPart(NamedTuple):
    """What fills a part of one GPU's memory, and its bytes."""

    name: str
    size: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheBudget:
    """Cache blocks of a replica, and in `lines` the arithmetic of one GPU's memory that leaves room for them.

    `cache` is the form in which sequences count: the one with the most blocks, since none counts too little. `parts`
    are the whole memory of a GPU.
    """

    blocks: int
    cache: SequenceCache
    lines: tuple[str, ...]
    parts: tuple[MemoryPart, ...]


def activation_bytes(model: Model) -> float:
    """Return an estimate of the bytes that a step's intermediate results take on each GPU: 1 to 2 GiB.

    1 GiB for the sampler (logits of 256 sequences in fp32, their sorted copy) and workspaces, and for 2,048 tokens 16
    bf16 rows as wide as the hidden state: residual, norm, query to value, attention, gate, up and down projections.
    Tensor parallelism would divide part of the rows; not doing so is the safe side.
    """
    return ACTIVATION_FLOOR + ACTIVATION_TOKENS * ACTIVATION_ROWS * model.hidden * 2.0


def cache_budget(
    gpu: Gpu,
    model: Model,
    *,
    dtype: Dtype,
    tp: int,
    engine: Engine,
    tuning: Tuning = STOCK,
    kv_dtype: CacheDtype = "bf16",
    sequences: int = SEQUENCES,
    pp: int = 1,
    ways: int | None = None,
    drafter: Model | None = None,
) -> CacheBudget:
    """Return the cache blocks of a replica of `tp` GPUs; raises DoesNotFit, with the arithmetic and ways that fit.

    The `engine` takes the memory that its settings at the level `tuning` say, of each GPU. Room for `sequences` is set
    aside of what each takes whatever its length. Of a pipeline of `pp` stages it is the blocks of each of its batches,
    by the memory of the stage with most layers. Where the heads of attention are divided among fewer `ways` than all
    GPUs it is the blocks of a lane of so many, whose sequences are its own. A `drafter` stands beside the model with a
    cache of its own.
    """
    budget = budget_in(
        gpu,
        model,
        dtype=dtype,
        tp=tp,
        room=engine.room_on(gpu, tuning, gpus=tp * pp, lanes=tp // (ways or tp)),
        keeps_all=engine.rules.cache.keeps_all,
        block_size=engine.rules.cache.block_size,
        kv_dtype=kv_dtype,
        sequences=sequences,
        pp=pp,
        ways=ways,
        drafter=drafter,
    )
    if budget.blocks > 0:
        return budget
    found = alternatives(gpu, model, dtype=dtype, tp=tp, engine=engine, tuning=tuning, kv_dtype=kv_dtype, pp=pp)
    stages = f" in {pp} stages of" if pp > 1 else ""
    raise DoesNotFit(
        f"{model.name} in {dtype} does not fit on{stages} {tp} × {gpu.name}: {' '.join(budget.lines[:-1])} of each GPU",
        remedy="choose " + ("; or ".join(found) or NOTHING_SERVES),
    )


def budget_in(
    gpu: Gpu,
    model: Model,
    *,
    dtype: Dtype,
    tp: int,
    room: Room,
    keeps_all: bool,
    block_size: int,
    kv_dtype: CacheDtype,
    sequences: int = SEQUENCES,
    pp: int = 1,
    ways: int | None = None,
    drafter: Model | None = None,
) -> CacheBudget:
    """Return the blocks of `block_size` tokens in the `room` of each GPU, none or more.

    A cache that `keeps_all` tokens has no other form.
    """
    check_fit(gpu, model, dtype=dtype, tp=tp, kv_dtype=kv_dtype, pp=pp)
    served, stage = weights_of(gpu, model, dtype), stage_share(model, pp)
    lane = tp if ways is None else ways
    held, weights = served.held, served.per_gpu(tp, lane) * stage
    activations = activation_bytes(model)
    drafting, drafts = _drafter(gpu, drafter, dtype=dtype, tp=tp, kv_dtype=kv_dtype, ways=lane)
    left = room.left(gpu.memory, held=weights + drafting + NCCL_BYTES[tp], activations=activations)
    each = f"{model.parameters / 1e9:.2f}e9 × {held / model.parameters:.3g} B"
    taken = (
        _usable(gpu, room),
        f"− {weights / GIGABYTE:.2f} GB weights ({each} / {tp}{f', {stage:.3g} of the layers' if pp > 1 else ''}"
        f"{_of_lane(model, tp, lane)})",
        *([f"− {drafting / GIGABYTE:.2f} GB weights of {drafter.name}"] if drafter else []),
        f"− {NCCL_BYTES[tp] / GIGABYTE:.2f} GB collectives",
        *([] if room.of == "static" else [f"− {activations / GIGABYTE:.2f} GB activations (estimated)"]),
        *([f"= {left / room.share / GIGABYTE:.2f} GB free, of which {room.share:.2f}"] if room.of == "free" else []),
    )
    found = [
        _divided(left, one, model, tp=lane, sequences=sequences, pp=pp, block=block_size, drafts=drafts)
        for one in forms(model, kv_dtype, keeps_all=keeps_all)
    ]
    if lane < tp:
        each_lane = "on each GPU" if lane == 1 else f"in each lane of {lane} GPUs"
        found = [replace(one, lines=(*one.lines[:-1], f"{one.lines[-1]} {each_lane}")) for one in found]
    best = max(found, key=lambda budget: budget.blocks)
    held_back = (
        *([MemoryPart("drafter", drafting)] if drafter else []),
        MemoryPart("activations", activations),
        *([MemoryPart("collectives", NCCL_BYTES[tp])] if NCCL_BYTES[tp] else []),
    )
    parts = (MemoryPart("weights", weights), *best.parts, *held_back)
    rest = MemoryPart("reserve", gpu.memory - sum(part.size for part in parts))
    return CacheBudget(blocks=best.blocks, cache=best.cache, lines=(*taken, *best.lines), parts=(*parts, rest))


def _usable(gpu: Gpu, room: Room) -> str:
    """Return the memory that an engine begins with, as the first line of the arithmetic."""
    whole = f"{gpu.memory / GIGABYTE:.2f} GB"
    if room.of == "free":
        return f"{whole} in all"
    beside = ", activations in the rest" if room.of == "static" else ""
    return f"{gpu.memory * room.share / GIGABYTE:.2f} GB usable ({room.share:.2f} × {whole}{beside})"


def _of_lane(model: Model, tp: int, ways: int) -> str:
    """Return what each GPU has of what a lane of so many has whole, nothing where there are no lanes."""
    if ways == tp:
        return ""
    whole = "attention and of dense layers" if model.experts else "attention"
    return f", all of {whole}" if ways == 1 else f", 1/{ways} of {whole}"


def _drafter(
    gpu: Gpu, drafter: Model | None, *, dtype: Dtype, tp: int, kv_dtype: CacheDtype, ways: int
) -> tuple[float, float]:
    """Return the bytes of a drafter's weights and of one token in its cache, on each GPU; none without one."""
    if drafter is None:
        return 0.0, 0.0
    weights = weights_of(gpu, drafter, dtype).per_gpu(tp, ways)
    return weights, counted_in_full(drafter, kv_dtype).per_token_per_gpu(drafter, ways)


def stage_share(model: Model, pp: int) -> float:
    """Return the share of the layers, and of what they hold, in the stage of `pp` that has most of them.

    >>> stage_share(catalog.model("deepseek-v3"), 2)  # 31 of 61
    0.5081967213114754
    """
    return math.ceil(model.layers / pp) / model.layers


def _divided(
    left: float,
    cache: SequenceCache,
    model: Model,
    *,
    tp: int,
    sequences: int,
    pp: int,
    block: int,
    drafts: float = 0.0,
) -> CacheBudget:
    """Return the blocks of `block` tokens that the bytes `left` hold in one form of the cache, and what is what."""
    stage = stage_share(model, pp)
    fixed, per_token = cache.fixed_per_gpu(model, tp) * stage, cache.per_token_per_gpu(model, tp) * stage + drafts
    room = left - sequences * fixed
    blocks = max(0, math.floor(room / (block * per_token) / pp))
    kept = f"− {sequences * fixed / GIGABYTE:.2f} GB kept whatever the length ({sequences} sequences × {fixed:,.0f} B)"
    lines = (
        *([kept] if fixed else []),
        f"= {room / GIGABYTE:.2f} GB for the cache",
        f"/ ({counted(block, 'token')} × {per_token:,.0f} B of {cache.per_token:,.0f} B a token"
        f"{f', {drafts:,.0f} B of drafts in them' if drafts else ''}) = {blocks:,} blocks"
        + (f" for each of {pp} batches" if pp > 1 else ""),
    )
    whatever = [MemoryPart("kept whatever the length", sequences * fixed)] if fixed else []
    return CacheBudget(blocks=blocks, cache=cache, lines=lines, parts=(MemoryPart("KV cache", room), *whatever))


def alternatives(
    gpu: Gpu,
    model: Model,
    *,
    dtype: Dtype,
    tp: int,
    engine: Engine,
    tuning: Tuning = STOCK,
    kv_dtype: CacheDtype = "bf16",
    pp: int = 1,
) -> tuple[str, ...]:
    """Return up to three nearby ways that serve: more GPUs, fewer bits on as many, the smallest GPU of another kind.

    More GPUs are a wider tensor parallelism; where none serves, more stages.
    """

    def serves(gpu: Gpu, dtype: Dtype, tp: int, stages: int = pp) -> bool:
        """Return whether the blocks that are not kept free hold a request of a useful length."""
        room = engine.room_on(gpu, tuning, gpus=tp * stages)
        own = engine.rules.cache
        try:
            found = budget_in(
                gpu,
                model,
                dtype=dtype,
                tp=tp,
                room=room,
                keeps_all=own.keeps_all,
                block_size=own.block_size,
                kv_dtype=kv_dtype,
                pp=stages,
            )
        except DoesNotFit:
            return False
        return (1.0 - WATERMARK) * found.blocks * own.block_size >= min(USEFUL_CONTEXT, model.context)

    own = weights_of(gpu, model, dtype).held

    def lighter(other: Dtype) -> bool:
        return weights_of(gpu, model, other).held < own

    wider = chain(
        (f"--tp {size}" for size in TENSOR_PARALLEL if size > tp and serves(gpu, dtype, size)),
        (
            f"--tp {size} --pp {stages}" if size != tp else f"--pp {stages}"
            for stages in PIPELINE
            for size in TENSOR_PARALLEL
            if stages > pp and size >= tp and serves(gpu, dtype, size, stages)
        ),
    )
    thinner = (
        f"--dtype {other}" + (f" --tp {size}" if size != tp else "")
        for other in DTYPES
        for size in TENSOR_PARALLEL
        if lighter(other) and size >= tp and serves(gpu, other, size)
    )
    known = sorted(catalog.gpus(), key=lambda other: other.memory)
    bigger = (
        f"--gpu {other.name} --tp {size}"
        for searched in (True, False)
        for size in sorted(TENSOR_PARALLEL, key=lambda size: (size != tp, size))
        for other in known
        if other.searched == searched and other.memory > gpu.memory and serves(other, dtype, size)
    )
    return tuple(way for way in (next(wider, None), next(thinner, None), next(bigger, None)) if way)
