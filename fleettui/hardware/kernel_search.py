"""Seconds of one operator on one GPU: its least time by the datasheet, times what was measured over that.

Where no kernel of the GPU and engine was measured the multiple comes from another engine on that GPU, then from a GPU
of the same kind, whose datasheet then counts; last from the shares of the datasheet that kernels reach in general. Of
experts the GPU changes before the engine does: their kernels differ more between engines. `evidence` says for every
operator where its multiple is from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fleettui.domain.dtype import CACHE_BYTES, CacheDtype
from fleettui.domain.expert_load import ExpertLoad
from fleettui.domain.hardware import Gpu
from fleettui.hardware.fullest_rank import fullest_rank
from fleettui.hardware.kernel_tables import Found, KernelTable, Pick, first
from fleettui.hardware.operators import (
    ExpertShape,
    Floats,
    Work,
    decode_attention,
    experts,
    latent_decode,
    latent_prompt,
    matrix_product,
    prompt_attention,
    ring_time,
)
from fleettui.hardware.roofline import ALL_REDUCE_LATENCY, BANDWIDTH_SHARE

ENGINES = ("trtllm", "vllm", "sglang")
"""Whose kernels stand in for another engine's, the most complete tables first."""
ABSORBED = ("sglang",)
"""Engines whose kernels for latent prompts were measured with one key for all heads, which they themselves do not run.

For each pair that is 2 · (576 + 512) operations a head in place of 2 · (192 + 128): two to three times as long on H100
and H200. SGLang expands keys and values for prompts (its deepseek_v2.py, flashinfer_mla_backend.py).
"""
NONE = "roofline: no kernel was measured"
"""The evidence of an operator that no table has."""
CARRIED = "measured on "
"""How the evidence of another GPU's kernel begins."""
STANDING_IN = "products in "
"""How the evidence of products says whose other number format theirs is taken from."""
EXPERTS = "experts"
"""The operator of routed experts."""
EXPERTS_SKEW = 2
"""How tokens choose experts if nothing is said: by a power law of 1.2, as in published measurements of Qwen3-235B."""
EXPERTS_EVENLY = 1
"""The same on the axis of tables where each expert has as many tokens as the others."""
LEAST_EXPERTS = 0.95
"""Share of what another shape takes for one token below which experts do not come."""
EXPERT_KEYS = tuple(one.name for one in fields(ExpertShape))
"""What a table's key says of the shape of experts."""
OTHER_FORMATS: Mapping[str, tuple[str, ...]] = {
    "fp8": ("fp8_block", "bf16"),
    "fp8_block": ("fp8", "bf16"),
    "nvfp4": ("fp8", "bf16"),
    "int8_wo": ("bf16",),
    "int4_wo": ("bf16",),
}
"""Formats whose matrix products stand in for those of another, the nearest first."""
WEIGHTS_ALONE = ("int8_wo", "int4_wo")
"""Formats of weights alone, whose experts multiply in that of the products that stand in for theirs."""
FARTHEST = 4.0
"""How unlike measured experts may be to tell of others in their format: factors of e in all they are made of."""


@dataclass(frozen=True, slots=True)
class Kernels:
    """The operators of one GPU under one engine; `cache` is the format of the cached numbers.

    Those that nobody measured reach `compute_share` of the peak, where that is known.
    """

    gpu: Gpu
    engine: str
    cache: CacheDtype = "bf16"
    compute_share: float | None = None
    evidence: dict[str, str] = field(default_factory=dict)
    _known: dict[tuple[object, ...], Found | None] = field(default_factory=dict)

    @property
    def cache_bytes(self) -> int:
        """Bytes of one cached number."""
        return CACHE_BYTES[self.cache]

    def product(self, name: str, tokens: ArrayLike, rows: float, columns: float, form: str) -> Floats:
        """Return the seconds of y = W·x for `tokens` vectors; W has `rows` by `columns` numbers in format `form`."""
        tried = ((other, self._find("matrix_product", partial(_keyed, form=other), other)) for other in _alike(form))
        other, found = next(((other, found) for other, found in tried if found is not None), (form, None))
        self._note(name, found, "" if other == form else f"{STANDING_IN}{other}")
        return self._timed(matrix_product(tokens, rows, columns, form), found, n=rows, k=columns, m=tokens)

    def beside(self, name: str, tokens: ArrayLike, rows: float, columns: float, form: str) -> Floats:
        """Return the seconds of the same where it runs beside larger kernels, on a stream of its own.

        What it then adds to a step is what more tokens than one take, and no less than its bytes and its arithmetic do.
        """
        alone, every = self.product(name, 1.0, rows, columns, form), self.product(name, tokens, rows, columns, form)
        least = matrix_product(tokens, rows, columns, form).estimated(self.gpu, self.compute_share)
        return np.maximum(least, every - alone)

    def decode(self, units: ArrayLike, grouped: float, context: ArrayLike, width: int, window: int) -> Floats:
        """Return the seconds of attention for decodes; arguments as `operators.decode_attention` has them."""
        found = self._attention("decode_attention", width, window, cache=self.cache)
        work = decode_attention(units, grouped, context, width=width, cache_bytes=self.cache_bytes, window=window)
        return self._timed(work, found, grouped=grouped, units=units, context=context)

    def prompt(self, units: ArrayLike, grouped: float, length: ArrayLike, width: int, window: int) -> Floats:
        """Return the seconds of attention for prompts; arguments as `operators.prompt_attention` has them."""
        found = self._attention("prompt_attention", width, window, form="bf16")
        work = prompt_attention(units, grouped, length, width=width, window=window)
        return self._timed(work, found, grouped=grouped, units=units, length=length)

    def latent_decode(self, heads: float, sequences: ArrayLike, context: ArrayLike) -> Floats:
        """Return the seconds of latent attention for decodes."""
        found = self._latent("latent_decode", "decode attention")
        work = latent_decode(heads, sequences, context, cache_bytes=self.cache_bytes)
        return self._timed(work, found, heads=heads, sequences=sequences, context=context)

    def latent_prompt(self, units: ArrayLike, length: ArrayLike) -> Floats:
        """Return the seconds of latent attention for prompts, whose keys and values engines expand for every head."""
        found = self._latent("latent_prompt", "prompt attention", ENGINES[0] if self.engine in ABSORBED else None)
        return self._timed(latent_prompt(units, length), found, units=units, length=length)

    def experts(self, tokens: ArrayLike, form: str, shape: ExpertShape, load: ExpertLoad | None = None) -> Floats:
        """Return the seconds of a layer's routed experts, chosen as the measurements had them or by a `load`.

        Experts of another shape are timed by the nearest that was measured, and routing does not shrink with the width.
        Those that were measured whole alone are timed as if spread where they are divided.
        By a load a layer takes as long as its fullest rank. That takes as long as kernels with as many tokens on each
        rank, chosen evenly; less where its tokens touch fewer experts, by the least time of its work to that of
        theirs, yet no less than kernels that touch as many experts with a token each.
        """
        if form in WEIGHTS_ALONE and self._is_unlike(form, shape):
            return self._weights_alone(tokens, form, shape, load)
        timed, found = self._measured_experts(form, shape)
        if load is None:
            return self._experts(tokens, form, timed, found, EXPERTS_SKEW)
        fullest = fullest_rank(load, count=shape.count, used=shape.used, ranks=shape.ranks)
        per_rank = shape.used / shape.ranks
        full = np.asarray(tokens, np.float64) * fullest.factor(tokens)
        touched = np.minimum(fullest.experts(tokens), np.maximum(full * per_rank, 1.0))
        evenly = np.minimum(shape.count / shape.ranks, np.maximum(full * per_rank, 1.0))
        whole = self._experts(full, form, timed, found, EXPERTS_EVENLY)
        least = experts(full, shape, form, touched).least(self.gpu) / experts(full, shape, form, evenly).least(self.gpu)
        few = self._experts(np.maximum(touched / per_rank, 1.0), form, timed, found, EXPERTS_EVENLY)
        return np.minimum(whole, np.maximum(whole * least, few))

    def _is_unlike(self, form: str, shape: ExpertShape) -> bool:
        """Return whether nothing that was measured in a format tells of these experts, but another format does."""
        found = self._nearest_experts(form, shape)
        far = math.inf if found is None else _far(found.table.key, shape)
        return far > FARTHEST and self._nearest_experts(OTHER_FORMATS[form][0], shape) is not None

    def _weights_alone(self, tokens: ArrayLike, form: str, shape: ExpertShape, load: ExpertLoad | None) -> Floats:
        """Return the seconds of experts whose weights alone are in fewer bits, by those of the format they multiply in.

        They take less by what their bytes save at the whole bandwidth, and no less than the datasheet allows.
        """
        other = OTHER_FORMATS[form][0]
        seconds = self.experts(tokens, other, shape, load)
        self.evidence[EXPERTS] += f"; {STANDING_IN}{other}"
        own, theirs = experts(tokens, shape, form), experts(tokens, shape, other)
        return np.maximum(own.least(self.gpu), seconds - (theirs.moved - own.moved) / self.gpu.bandwidth)

    def _measured_experts(self, form: str, shape: ExpertShape) -> tuple[ExpertShape, Found | None]:
        """Return the shape by which experts are timed, and the table of the nearest that was measured.
        Kernels that take whole experts alone were not measured on parts of them. What public runs of such took divided
        over GPUs is what those took that were spread over as many, to a percent (TensorRT-LLM, mxfp4, 4 to 64 clients).
        """
        found = self._nearest_experts(form, shape)
        if found is None:
            self._note(EXPERTS, None)
            return shape, None
        measured, remark = _measured(found), ""
        if measured.divided == 1 < shape.divided and measured.whole == shape.whole:
            shape, remark = shape.spread, "as if spread: these were measured whole alone; "
            found = self._nearest_experts(form, shape) or found
            measured = _measured(found)
        remark += "" if measured == shape else f"nearest shape: {measured.text}"
        self._note(EXPERTS, found, remark.removesuffix("; "))
        return shape, found

    def _nearest_experts(self, form: str, shape: ExpertShape) -> Found | None:
        return self._find(EXPERTS, partial(_nearest, form=form, shape=shape), form, shape, by_gpu=True)

    def _experts(self, tokens: ArrayLike, form: str, shape: ExpertShape, found: Found | None, skew: int) -> Floats:
        """Return the seconds of experts by a table, chosen in a way that it was measured with."""
        work = experts(tokens, shape, form)
        if found is None:
            return work.estimated(self.gpu)
        seconds, measured = self._timed(work, found, skew=skew, tokens=tokens), _measured(found)
        if measured == shape and found.gpu == self.gpu.name:
            return seconds
        alone = self._timed(experts(1.0, measured, form), found, skew=skew, tokens=1.0)
        return np.maximum(seconds, LEAST_EXPERTS * alone)

    def all_reduce(self, numbers: ArrayLike, gpus: int) -> Floats:
        """Return the seconds that `gpus` take to add up so many numbers each, by a CUDA graph where measured."""
        if gpus == 1:
            return np.zeros(np.shape(numbers))
        found = self._find("all_reduce", partial(_of_ranks, gpus=gpus), gpus)
        self._note("all-reduce", found)
        ring = ring_time(numbers, gpus, self.gpu.link_bandwidth)
        if found is None:
            return ALL_REDUCE_LATENCY + ring / BANDWIDTH_SHARE
        return ring * np.maximum(1.0, found.table.multiple(numbers=numbers))

    def _timed(self, work: Work, found: Found | None, **shape: ArrayLike) -> Floats:
        """Return least time times multiple; one below 1 is of a benchmark whose operands stayed in the cache."""
        if found is None:
            return work.estimated(self.gpu, self.compute_share)
        return work.least(self.gpu) * np.maximum(1.0, found.table.multiple(**shape))

    def _attention(self, operator: str, width: int, window: int, **key: str) -> Found | None:
        name = operator.replace("_", " ") + (" in a window" if window else "")
        found = self._find(operator, partial(_of_window, width=width, window=window, key=key), width, window)
        if found is not None:
            self._note(name, found)
            return found
        found = self._find(operator, partial(_of_width, width=width, key=key), width, "other width")
        self._note(name, found, "heads of another width")
        return found

    def _latent(self, operator: str, name: str, engine: str | None = None) -> Found | None:
        found = self._find(operator, partial(_of_cache, cache=self.cache), engine=engine)
        self._note(name, found)
        return found

    def _find(
        self, operator: str, pick: Pick, *key: object, by_gpu: bool = False, engine: str | None = None
    ) -> Found | None:
        """Return the first table of the chain that `pick` takes; `key` is what it looks for.

        An `engine` comes before the kernels' own where one is given.
        """
        known = (operator, *key)
        if known not in self._known:
            self._known[known] = first(self._chain(by_gpu, engine or self.engine), operator, pick)
        return self._known[known]

    def _chain(self, by_gpu: bool, engine: str) -> list[tuple[str, str]]:
        own, like = self.gpu.name, self.gpu.kernels_like
        engines = [engine, *(one for one in ENGINES if one != engine)]
        here, there = [(own, one) for one in engines], [(gpu, one) for gpu in like for one in engines]
        if by_gpu:
            return [here[0], *((gpu, engine) for gpu in like), *here[1:], *there]
        return [*here, *there]

    def _note(self, name: str, found: Found | None, remark: str = "") -> None:
        """Note where the multiple of an operator is from."""
        told = NONE
        if found is not None and (found.gpu, found.engine) == (self.gpu.name, self.engine):
            told = f"measured, {found.engine} {found.version}"
        elif found is not None and found.gpu == self.gpu.name:
            told = f"measured, but under {found.engine} {found.version}"
        elif found is not None:
            told = f"{CARRIED}{found.gpu} under {found.engine} {found.version}, carried over by the datasheets"
        self.evidence[name] = f"{told} ({remark})" if remark and found is not None else told


def _measured(found: Found) -> ExpertShape:
    return ExpertShape(**{name: found.table.key[name] for name in EXPERT_KEYS})


def _alike(form: str) -> tuple[str, ...]:
    return (form, *OTHER_FORMATS.get(form, ()))


def _keyed(tables: Sequence[KernelTable], **key: object) -> KernelTable | None:
    return next((one for one in tables if key.items() <= one.key.items()), None)


def _of_window(tables: Sequence[KernelTable], *, width: int, window: int, key: Mapping[str, str]) -> KernelTable | None:
    """Return the table of the nearest window for heads of this width; whole attention is no window."""
    fitting = (one for one in tables if one.key["width"] == width and bool(one.key["window"]) == bool(window))
    alike = (one for one in fitting if key.items() <= one.key.items())
    return min(alike, key=lambda one: abs(int(one.key["window"]) - window), default=None)


def _of_width(tables: Sequence[KernelTable], *, width: int, key: Mapping[str, str]) -> KernelTable | None:
    """Return the table of whole attention for heads of the nearest width."""
    fitting = (one for one in tables if not one.key["window"] and key.items() <= one.key.items())
    return min(fitting, key=lambda one: abs(math.log(one.key["width"] / width)), default=None)


def _of_cache(tables: Sequence[KernelTable], *, cache: str) -> KernelTable | None:
    return _keyed(tables, cache=cache) or next(iter(tables), None)


def _of_ranks(tables: Sequence[KernelTable], *, gpus: int) -> KernelTable | None:
    return _keyed(tables, gpus=gpus, launch="graph") or _keyed(tables, gpus=gpus)


def _nearest(tables: Sequence[KernelTable], *, form: str, shape: ExpertShape) -> KernelTable | None:
    """Return the table of the nearest shape: width on a GPU, experts of a rank, hidden width, experts of a token."""

    return min((one for one in tables if one.key["form"] == form), key=lambda one: _far(one.key, shape), default=None)


def _far(key: Mapping[str, Any], shape: ExpertShape) -> float:
    """Return how unlike experts are to those of a table's key: factors of e, half as many in how they are divided."""
    ratios = (
        key["hidden"] / shape.hidden,
        key["inner"] / key["divided"] * shape.divided / shape.inner,
        key["count"] / key["ranks"] * shape.ranks / shape.count,
        key["used"] / shape.used,
    )
    division = (key["divided"] / shape.divided, key["ranks"] / shape.ranks)
    return sum(abs(math.log(one)) for one in ratios) + 0.5 * sum(abs(math.log(one)) for one in division)
