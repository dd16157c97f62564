"""A decode replica whose attention and feed-forward layers have GPUs of their own (attention/FFN disaggregation, AFD).

The attention role keeps the cache, the two ends of the model and what attention multiplies; the feed-forward role the
rest. They pass each layer's activations over the network, both ways, micro-batch by micro-batch (`afd_pipeline.py`).
Both roles' operators are those of the operator law, each by the kernels of its own GPU. Rates and overheads are the
co-located engine's: no public run of such a server was held to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from fleettui.domain.afd import AfdLayout
from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.expert_load import ExpertLoad
from fleettui.domain.hardware import STOCK, Gpu, Model, Profile, StepPart, StepTable, Tuning
from fleettui.errors import InputError
from fleettui.hardware.afd_pipeline import step_seconds
from fleettui.hardware.attention_dp import attention_parameters
from fleettui.hardware.engine_record import Engine
from fleettui.hardware.fit import DoesNotFit, check_fit
from fleettui.hardware.formats import FORMATS
from fleettui.hardware.kernel_search import Kernels
from fleettui.hardware.memory import GIGABYTE, NCCL_BYTES, activation_bytes
from fleettui.hardware.operator_law import OperatorLaw
from fleettui.hardware.operators import Floats
from fleettui.hardware.roofline import ACTIVATION_BYTES
from fleettui.hardware.sequence_cache import counted_in_full
from fleettui.hardware.step_table import LONGEST_PROMPT, SHOWN_SEQUENCES, SHOWN_TOKENS, sequence_grid, token_grid
from fleettui.hardware.weights import Weights, weights_of

ATTENTION_OPERATORS = ("query, key, value", "attention output", "norms and activations")
"""The operators of a layer that the attention role works at, beside attention itself; the rest is the other role's."""
TRANSFER_LATENCY = 0.05e-3
"""Seconds of passing a micro-batch's activations on beside its bytes: the Frontier release's default."""
SUMS = "all-reduce"
EVIDENCE = "by the operator law of each role's GPU; no public run of such a server was held to it"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleTimes:
    """Seconds of one micro-batch in one layer, by role and one way over the links; arrays of one shape."""

    attention: Floats
    feed_forward: Floats
    transfer: Floats


@dataclass(frozen=True)
class AfdReplica:
    """A model in `dtype` on replicas that decode, divided as `layout` says, with a GPU type for either role.

    `network` are the bytes per second, one way, of one GPU's link between the roles. Experts are chosen by a `load`,
    where there is one. Raises InputError and DoesNotFit, when it is made, for a layout that does not divide the model
    and for weights that do not fit.
    """

    model: Model
    dtype: Dtype
    kv_dtype: CacheDtype
    attention_gpu: Gpu
    feed_forward_gpu: Gpu
    layout: AfdLayout
    network: float
    engine: Engine
    tuning: Tuning = STOCK
    load: ExpertLoad | None = None

    def __post_init__(self) -> None:
        self.layout.check(self.model)
        if self.load is not None:
            self.load.check(self.model)
        if self.model.recurrent_layers:
            raise InputError(f"layers of {self.model.name} that keep a state are not modelled apart from the others")
        for gpu, tp in self._roles:
            check_fit(gpu, self.model, dtype=self.dtype, tp=tp)
        each = zip(self._roles, self.role_bytes, self._left, ("attention", "feed-forward"), strict=True)
        for (gpu, _), size, left, role in each:
            if left < 0.0:
                raise DoesNotFit(
                    f"the {role} role of {self.model.name} in {self.dtype} takes {size / GIGABYTE:.1f} GB of each GPU",
                    value=f"{self.layout.text} on {gpu.name}",
                    accepted=f"up to {(size + left) / GIGABYTE:.1f} GB",
                    remedy=f"give the {role} role more GPUs, or GPUs with more memory",
                )
        if self.blocks < 1:
            raise DoesNotFit(
                f"the attention role of {self.model.name} leaves no room for a cache",
                value=f"{self.layout.text} on {self.attention_gpu.name}",
                remedy="give the attention role a wider tensor parallelism, or GPUs with more memory",
            )

    @cached_property
    def weights(self) -> Weights:
        """The weights as the attention role's GPU serves them."""
        return weights_of(self.attention_gpu, self.model, self.dtype)

    @property
    def _own_bytes(self) -> tuple[float, float]:
        """Bytes of the weights of either role: attention with the two ends, and the rest."""
        own, layout = self.weights, self.layout
        attention = attention_parameters(self.model) * FORMATS[own.layers].weight
        ends = own.held - own.always - own.routed + self._head_bytes
        return (attention + ends) / layout.attention_tp, (own.held - attention - ends) / layout.feed_forward_gpus

    @property
    def _head_bytes(self) -> float:
        return float(self.model.shape.vocabulary * self.model.hidden) * FORMATS[self.weights.ends].weight

    @property
    def role_bytes(self) -> tuple[float, float]:
        """Bytes of each GPU of either role that no cache can have: weights, collectives, activations."""
        sizes = self.layout.attention_tp, self.layout.feed_forward_gpus
        first, then = (
            own + NCCL_BYTES[tp] + activation_bytes(self.model) for own, tp in zip(self._own_bytes, sizes, strict=True)
        )
        return first, then

    @property
    def _roles(self) -> tuple[tuple[Gpu, int], tuple[Gpu, int]]:
        """The GPU of either role, and among how many of them its matrices are divided."""
        layout = self.layout
        return (self.attention_gpu, layout.attention_tp), (self.feed_forward_gpu, layout.feed_forward_gpus)

    @property
    def _left(self) -> tuple[float, float]:
        """Bytes of each GPU of either role that the engine has for a cache, below 0 where the rest does not fit."""
        activations = activation_bytes(self.model)
        first, then = (
            self.engine.room_on(gpu, self.tuning, gpus=tp).left(
                gpu.memory, held=size - activations, activations=activations
            )
            for (gpu, tp), size in zip(self._roles, self.role_bytes, strict=True)
        )
        return first, then

    @property
    def blocks(self) -> int:
        """Cache blocks of a replica: those of all its attention lanes, which hold equally many sequences."""
        left = self._left[0]
        per_token = counted_in_full(self.model, self.kv_dtype).per_token_per_gpu(self.model, self.layout.attention_tp)
        return self.layout.attention_dp * int(left // (self.engine.rules.cache.block_size * per_token))

    @cached_property
    def laws(self) -> tuple[OperatorLaw, OperatorLaw]:
        """The operators of the attention role and of the feed-forward role."""
        layout = self.layout
        return (
            OperatorLaw(self._kernels(self.attention_gpu), self.model, self.dtype, layout.attention_tp, bounded=False),
            OperatorLaw(
                self._kernels(self.feed_forward_gpu),
                self.model,
                self.dtype,
                layout.feed_forward_gpus,
                expert_parallel=layout.feed_forward_ep > 1,
                load=self.load,
                shared_after=self.engine.terms.shared_after,
            ),
        )

    def _kernels(self, gpu: Gpu) -> Kernels:
        return Kernels(gpu, self.engine.family, self.kv_dtype, self.engine.terms.compute_share(self.model))

    def times(self, tokens: ArrayLike, sequences: ArrayLike = 0.0, context: float = 0.0) -> RoleTimes:
        """Return what one micro-batch of a step takes in one layer, for so many tokens of the whole replica's step.

        Of them `sequences` decode, and read `context` cached tokens each. A part that would be less than one token of a
        lane is taken as one.
        """
        layout, layers = self.layout, self.model.layers
        batch = np.maximum(np.asarray(tokens, np.float64) / layout.micro_batches, 1.0)
        lane = np.maximum(batch / layout.attention_dp, 1.0)
        attention, feed_forward = self.laws
        first, then = attention.linear(lane), feed_forward.linear(batch)
        own = sum((first[name] for name in ATTENTION_OPERATORS if name in first), first.get(SUMS, 0.0) / 2.0)
        rest = sum((one for name, one in then.items() if name not in (*ATTENTION_OPERATORS, SUMS)), np.zeros(()))
        reading = np.zeros(())
        if context:
            held = np.asarray(sequences, np.float64) / (layout.micro_batches * layout.attention_dp)
            reading = attention.decode(np.maximum(held, 1.0), context)
        moved = batch * self.model.hidden * ACTIVATION_BYTES / (layout.narrower * self.network)
        return RoleTimes(
            attention=(self.engine.terms.factor * own + reading) / layers,
            feed_forward=self.engine.terms.factor * (rest + then.get(SUMS, 0.0) / 2.0) / layers,
            transfer=TRANSFER_LATENCY + moved,
        )

    def seconds(self, tokens: ArrayLike, sequences: ArrayLike = 0.0, context: float = 0.0) -> Floats:
        """Return the seconds of all layers of a step; arguments as `times` has them."""
        found = self.times(tokens, sequences, context)
        layers, many = self.model.layers, self.layout.micro_batches
        return step_seconds(layers, many, found.attention, found.feed_forward, found.transfer)

    def step(self, context: float) -> StepTable:
        """Return the step as a table whose decodes hold `context` cached tokens each on average.

        The closed form is no straight line in the context: below some length the feed-forward role is busier. The table
        is straight between no context and `context`, exact at both, and above the form between them, which is convex.
        """
        tokens, sequences = token_grid(), sequence_grid()
        attention, counts = self.laws[0], sequence_grid()[1:]
        lengths = np.concatenate([[1.0], np.geomspace(16, LONGEST_PROMPT, 40)])
        prompt = np.maximum.accumulate(attention.prompt(lengths))
        plain = self.seconds(counts)
        least = np.maximum(self.seconds(counts, counts, 1.0) - plain, 0.0)
        whole = np.maximum(self.seconds(counts, counts, context) - plain - least, 0.0)
        alone, *heads = attention.head(np.concatenate([[1.0], counts / self.layout.attention_dp])).tolist()
        slope = np.maximum.accumulate(whole / context) / counts
        fixed = [alone, *(least + np.asarray(heads) + self.engine.terms.sampling(self.model) * counts).tolist()]
        return StepTable(
            overhead=self.engine.terms.every_step(self.model),
            tokens=tuple(tokens.tolist()),
            linear=tuple(np.maximum.accumulate(self.seconds(tokens)).tolist()),
            sequences=tuple(sequences.tolist()),
            fixed=tuple(np.maximum.accumulate(fixed).tolist()),
            slope=(0.0, *slope.tolist()),
            pairs=tuple((lengths * lengths / 2.0).tolist()),
            attention=tuple((prompt - prompt[0]).tolist()),
            prompt_floor=float(prompt[0]),
            prompt_least=self.engine.terms.least_prompt(self.model),
            prompt_extra=self.engine.terms.eager_extra * self.model.layers,
            read_share=self.weights.always / (self.weights.always + self.weights.routed),
            expert_share=self.model.experts_per_token / self.model.experts if self.model.experts else 0.0,
            shown_sequences=SHOWN_SEQUENCES,
            shown_tokens=SHOWN_TOKENS,
            parts=self._parts(),
        )

    def _parts(self) -> tuple[StepPart, ...]:
        """Return what a layer's roles and links take, for all layers and micro-batches of the steps that are shown."""
        many = self.model.layers * self.layout.micro_batches
        decode = self.times(float(SHOWN_SEQUENCES), float(SHOWN_SEQUENCES), float(SHOWN_TOKENS))
        prompt = self.times(float(SHOWN_TOKENS))
        return tuple(
            StepPart(
                operator=name.replace("_", " "),
                decode=many * float(getattr(decode, name)),
                prompt=many * float(getattr(prompt, name)),
                evidence=EVIDENCE,
            )
            for name in ("attention", "feed_forward", "transfer")
        )

    def profile(self, like: Profile, prices: tuple[float, float], context: float) -> Profile:
        """Return the profile of a replica, whose engine and front end are those of `like`, a co-located one.

        `prices` are US dollars an hour of one GPU of either role. Its GPUs count as one group, so that a fleet of them
        is sized, priced and simulated as any other; its lanes hold equally many sequences.
        """
        layout = self.layout
        counts = layout.attention_gpus, layout.feed_forward_gpus
        both = list(zip((self.attention_gpu, self.feed_forward_gpu), counts, strict=True))
        per_lane = counted_in_full(self.model, self.kv_dtype).per_token_per_gpu(self.model, layout.attention_tp)
        reads = self.weights.always + self.weights.routed
        copies = (layout.attention_dp - 1) * attention_parameters(self.model) * FORMATS[self.weights.layers].weight
        share = like.peak / like.gpus_per_replica / self.attention_gpu.peak_bf16
        return replace(
            like,
            name=f"{self.attention_gpu.name}+{self.feed_forward_gpu.name}/{self.model.name}/{layout.text}",
            tp=sum(counts),
            pp=1,
            attention_dp=False,
            layout="",
            expert_parallel=False,
            price_per_hour=sum(p * n for p, n in zip(prices, counts, strict=True)) / sum(counts),
            step=self.step(context),
            kv_blocks=self.blocks,
            peak=share * sum(gpu.peak_bf16 * count for gpu, count in both),
            bandwidth=sum(gpu.bandwidth * count for gpu, count in both),
            bytes_per_step=reads + copies,
            kv_bytes_per_token=per_lane * layout.attention_tp,
            memory=self.memory_lines,
            settings=replace(like.settings, max_num_seqs=like.settings.max_num_seqs * layout.attention_dp),
            evidence=EVIDENCE,
        )

    @property
    def memory_lines(self) -> tuple[str, ...]:
        """What each GPU of either role holds beside the cache, and the blocks of a replica."""
        first, then = self.role_bytes
        return (
            f"attention role: {first / GIGABYTE:.2f} GB of each {self.attention_gpu.name} beside the cache",
            f"feed-forward role: {then / GIGABYTE:.2f} GB of each {self.feed_forward_gpu.name}",
            f"= {self.blocks:,} blocks of a replica, in {self.layout.attention_dp} lanes",
        )
