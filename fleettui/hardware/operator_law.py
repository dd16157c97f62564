"""The operator law: what the operators of one step take on a replica, summed over the layers of a model.

All is of one GPU of the replica, whose GPUs work at the same time on their shares; seconds, arrays broadcast.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fleettui.domain.dtype import Dtype
from fleettui.domain.expert_load import ExpertLoad
from fleettui.domain.hardware import Model
from fleettui.domain.layout import Layout
from fleettui.hardware.formats import FORMATS
from fleettui.hardware.kernel_search import EXPERTS, Kernels
from fleettui.hardware.operators import ExpertShape, Floats, matrix_product
from fleettui.hardware.roofline import ACTIVATION_BYTES, ALL_REDUCES_PER_LAYER
from fleettui.hardware.sequence_cache import cache_split
from fleettui.hardware.weights import Weights, weights_of

ELEMENTWISE_SHARE = 0.7
"""Of the bandwidth, that norms, rotations, activations and quantizing reach: assumed, they were not measured apart."""
OF_A_LANE = " of a lane"
LANE_SUMS = f"all-reduce{OF_A_LANE}"
OF_ITS_OWN = ("query, key, value", "attention output", "recurrent layers", "norms and activations", LANE_SUMS)
DENSE = ("gate and up", "down", "shared experts")
"""Operators of a lane that attends to its own sequences: of its own tokens, and those where experts are divided."""
SUMMED = ("attention output", "down")
"""Products that are summed up over the GPUs, first that of attention, which lanes of their own do not sum up."""
Parts = dict[str, Floats]
"""Seconds by operator."""


@dataclass(frozen=True, slots=True)
class OperatorLaw:
    """A model on `tp` GPUs, with the kernels of one of them.

    Decodes read the windows of layers that have one in full, whatever the context, where those are `bounded`; else such
    layers read every token, as the others do. Either way the time is straight in the context, as its cache is counted.
    With `expert_parallel` each GPU has some experts whole, for all tokens, and the sums over the GPUs stay. With
    `attention_dp` tokens, sequences and prompts are those of one GPU, whose attention has all heads; what is divided
    works for as many of each of the others, gathered before and summed up and given back behind: one all-reduce. That
    are the routed experts of a model that has some, whose shared experts and dense layers each GPU has whole.
    Experts are chosen by a `load`, as they were when kernels were measured where that is None. By a `layout` lanes and
    groups that hold experts whole are of several GPUs: what each GPU had whole is divided in its lane, which sums up
    its own attention and dense layers; the sum of shared experts is that of the routed ones.

    Where it is `fused`, activations and quantizing move no bytes beside those of the products, norms those of what they
    add and of what the next product reads, and sums over the GPUs run beside the products that they sum up. Products
    were measured of activations in bf16, which they quantize first (ai-dynamo/aiconfigurator, collect_gemm.py: a whole
    Linear); those bytes are no longer theirs then. Shared experts run beside the routed ones, after those that are
    spread where they are `shared_after` them.
    """

    kernels: Kernels
    model: Model
    dtype: Dtype
    tp: int
    bounded: bool = True
    expert_parallel: bool = False
    attention_dp: bool = False
    load: ExpertLoad | None = None
    layout: Layout | None = None
    fused: bool = False
    shared_after: bool = False

    @property
    def ways(self) -> int:
        """Among how many GPUs the heads of attention are divided."""
        return self._divided.attention_tp

    @property
    def gathered(self) -> int:
        """The tokens of the other layers to each that attention works for."""
        return self._divided.attention_dp

    @property
    def _divided(self) -> Layout:
        if self.layout is not None:
            return self.layout
        lanes, groups = self.tp if self.attention_dp else 1, self.tp if self.expert_parallel else 1
        return Layout(self.tp // lanes, lanes, self.tp // groups, groups)

    @property
    def keeps_dense(self) -> bool:
        """Whether each lane has the dense layers and the shared experts whole, for its own tokens alone."""
        return self.attention_dp and self.model.experts > 0

    @property
    def weights(self) -> Weights:
        """The weights as the GPU serves them."""
        return weights_of(self.kernels.gpu, self.model, self.dtype)

    def linear(self, tokens: ArrayLike) -> Parts:
        """Return what all layers take beside attention for so many tokens of the step."""
        count = np.asarray(tokens, np.float64)
        parts = self._projections(count)
        parts |= self._feed_forward(count)
        parts["norms and activations"] = self._elementwise(count)
        if self.attention_dp and self.ways > 1:
            sums = self.model.layers + self.model.shape.dense_layers * self.keeps_dense
            parts[LANE_SUMS] = sums * self.kernels.all_reduce(count * self.model.hidden, self.ways)
        if self.tp > 1:
            gathered = self.model.layers - self.model.shape.dense_layers * self.keeps_dense
            sums = gathered if self.attention_dp else ALL_REDUCES_PER_LAYER * self.model.layers
            beside = sum(
                (parts[name] for name in SUMMED[self.attention_dp :] if self.fused and name in parts), np.zeros(())
            )
            every = sums * self.kernels.all_reduce(count * self.gathered * self.model.hidden, self.tp)
            parts["all-reduce"] = np.maximum(every - beside, 0.0)
        return parts

    def behind(self, tokens: ArrayLike) -> Floats:
        """Return the part of `linear` that works for the tokens of all GPUs: feed-forward layers, their exchange."""
        parts = self.linear(tokens)
        own = OF_ITS_OWN + DENSE * self.keeps_dense
        return np.asarray(sum((seconds for name, seconds in parts.items() if name not in own), np.zeros(())))

    def head(self, rows: ArrayLike) -> Floats:
        """Return what the projection to the vocabulary takes for the rows that emit a token: in bf16."""
        width = self.model.shape.vocabulary / self.tp
        every = np.asarray(rows, np.float64) * self.gathered
        return self.kernels.product("vocabulary", every, width, self.model.hidden, "bf16")

    def decode(self, sequences: ArrayLike, context: ArrayLike, queries: int = 1) -> Floats:
        """Return what attention takes for sequences with `context` cached tokens each, and so many new ones each.

        The queries of a sequence meet the same keys: they are as many more heads to each head of these.
        """
        model, kernels = self.model, self.kernels
        count, held = np.asarray(sequences, np.float64), np.asarray(context, np.float64)
        state = count * 2.0 * model.state_bytes / self.ways / (ELEMENTWISE_SHARE * kernels.gpu.bandwidth)
        windowed = model.windowed_layers if self.bounded else 0
        whole = model.cached_layers - windowed
        if model.latent_dimension:
            return state + whole * kernels.latent_decode(queries * model.heads / self.ways, count, held)
        units, grouped, width = count * self._kv_heads, queries * self._grouped, model.head_dimension
        seconds = queries * state + whole * kernels.decode(units, grouped, held, width, 0)
        if windowed:
            seconds = seconds + windowed * kernels.decode(units, grouped, float(model.window), width, model.window)
        return seconds

    def prompt(self, length: ArrayLike) -> Floats:
        """Return what attention takes for a prompt of so many tokens without cached ones before it.

        A chunk of c tokens behind q cached ones forms as many pairs as a prompt of √(c² + 2cq), and takes as long.
        """
        model, kernels = self.model, self.kernels
        heads, tokens = model.heads / self.ways, np.asarray(length, np.float64)
        if model.latent_dimension:
            return model.whole_layers * kernels.latent_prompt(heads, tokens)
        seconds = model.whole_layers * kernels.prompt(heads, self._grouped, tokens, model.head_dimension, 0)
        if model.windowed_layers:
            windowed = kernels.prompt(heads, self._grouped, tokens, model.head_dimension, model.window)
            seconds = seconds + model.windowed_layers * windowed
        return seconds

    @property
    def _kv_heads(self) -> float:
        return self.model.kv_heads / cache_split(self.model, self.ways)

    @property
    def _grouped(self) -> float:
        return self.model.heads / self.ways / self._kv_heads

    def _projections(self, tokens: Floats) -> Parts:
        """Return the products around attention: into queries, keys and values, and back."""
        model, latent, heads = self.model, self.model.shape.latent, self.model.heads / self.ways
        layers = model.cached_layers
        if latent is not None:
            cached = latent.rank + latent.rotary
            first = latent.query_rank or heads * (latent.plain + latent.rotary)
            down = self._product("query, key, value", tokens, first + cached, model.hidden)
            if latent.query_rank:
                down = down + self._product(
                    "query, key, value", tokens, heads * (latent.plain + latent.rotary), latent.query_rank
                )
            up = self._product("query, key, value", tokens, heads * (latent.plain + latent.value), latent.rank)
            output = self._product("attention output", tokens, model.hidden, heads * latent.value)
            return {"query, key, value": layers * (down + up), "attention output": layers * output}
        rows = model.shape.query / self.ways + 2 * self._kv_heads * model.head_dimension
        into = self._product("query, key, value", tokens, rows, model.hidden)
        output = self._product("attention output", tokens, model.hidden, heads * model.head_dimension)
        parts = {"query, key, value": layers * into, "attention output": layers * output}
        if model.recurrent_layers:
            shape = model.shape
            into = self._product("recurrent layers", tokens, shape.recurrent_in / self.ways, model.hidden)
            back = self._product("recurrent layers", tokens, model.hidden, shape.recurrent_out / self.ways)
            parts["recurrent layers"] = model.recurrent_layers * (into + back)
        return parts

    def _feed_forward(self, tokens: Floats) -> Parts:
        """Return the gated blocks of dense layers, and router, routed and shared experts of the others."""
        model, shape, every = self.model, self.model.shape, tokens * self.gathered
        dense = tokens if self.keeps_dense else every
        parts: Parts = {}
        if shape.dense_layers:
            parts |= self._gated("gate and up", "down", dense, shape.inner, shape.dense_layers)
        sparse = model.layers - shape.dense_layers
        if not sparse:
            return parts
        routed = ExpertShape(
            hidden=model.hidden,
            inner=shape.expert_inner,
            used=model.experts_per_token,
            count=model.experts,
            divided=self._divided.feed_forward_tp,
            ranks=self._divided.feed_forward_ep,
        )
        parts[EXPERTS] = sparse * self.kernels.experts(every, self.weights.experts, routed, self.load)
        parts["router"] = sparse * self.kernels.product("router", every, model.experts, model.hidden, "bf16")
        if shape.shared_inner:
            parts["shared experts"] = sparse * self._shared(dense, is_spread=routed.ranks > 1)
        return parts

    def _shared(self, tokens: Floats, *, is_spread: bool) -> Floats:
        """Return a layer's shared experts."""
        wide, form = self._width(self.model.shape.shared_inner), self.weights.layers
        timed = self.kernels.product if is_spread and self.shared_after else self.kernels.beside
        up = timed("shared experts", tokens, 2 * wide, self.model.hidden, form)
        return up + timed("shared experts", tokens, self.model.hidden, wide, form)

    def _gated(self, up: str, down: str, tokens: Floats, inner: int, layers: int) -> Parts:
        wide = self._width(inner)
        return {
            up: layers * self._product(up, tokens, 2 * wide, self.model.hidden),
            down: layers * self._product(down, tokens, self.model.hidden, wide),
        }

    def _width(self, inner: int) -> float:
        return inner / (self.ways if self.keeps_dense else self.tp)

    def _product(self, name: str, tokens: Floats, rows: float, columns: float) -> Floats:
        """Return the seconds of a product, without quantizing what it multiplies where that is fused."""
        form = self.weights.layers
        alone = self.kernels.product(name, tokens, rows, columns, form)
        held = FORMATS[form].activation
        if not self.fused or held >= ACTIVATION_BYTES:
            return alone
        quantized = tokens * columns * (ACTIVATION_BYTES + held) / (ELEMENTWISE_SHARE * self.kernels.gpu.bandwidth)
        return np.maximum(alone - quantized, matrix_product(tokens, rows, columns, form).least(self.kernels.gpu))

    def _elementwise(self, tokens: Floats) -> Floats:
        """Return norms, rotations, activations and quantizing: their bytes through memory, never measured apart."""
        model, shape = self.model, self.model.shape
        heads = model.heads * model.head_dimension / self.ways
        rotated = 2 * (heads + 2 * model.kv_heads * model.head_dimension / self.ways)
        dense = self.gathered * shape.inner / self.tp if shape.dense_layers == model.layers else 0.0
        held = FORMATS[self.weights.layers].activation
        if self.fused:  # two norms, each of which reads two rows and writes their sum and what is read next
            moved = 2.0 * (3 * ACTIVATION_BYTES + min(held, ACTIVATION_BYTES)) * model.hidden
            moved += ACTIVATION_BYTES * rotated
        else:
            moved = 2.0 * (8 * model.hidden + rotated + 3 * dense)
            if held < ACTIVATION_BYTES:
                moved += (ACTIVATION_BYTES + held) * (2 * model.hidden + heads + dense)
        moved += 2.0 * model.experts_per_token * model.hidden
        return tokens * model.layers * moved / (ELEMENTWISE_SHARE * self.kernels.gpu.bandwidth)
