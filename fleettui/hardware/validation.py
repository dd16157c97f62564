"""Predicted against measured: a law of steps held to published benchmark runs, nothing fitted to them alone.

How a closed loop with fixed lengths is read. Each of c clients sends its next request when the last one ends. All
cycles are equally long, so between two prompts of one client every other client sends exactly one. A request's own
prompt precedes its decode; hence its decode shares the replica with c − 1 foreign prompts and with the decodes of the
others. That holds for clients that started at once too: the first to emit a token sees the later prompts of its own
wave, the last to emit one the first prompts of the next, each together c − 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.hardware import STOCK, Gpu, Model, StepCost, StepLaw, StepTable
from fleettui.domain.validation import Comparison, MeasuredPoint, State, Summary
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.engine_record import Engine
from fleettui.hardware.error_band import band_of
from fleettui.hardware.fit import DoesNotFit
from fleettui.hardware.formats import peak
from fleettui.hardware.measured.base import Skipped
from fleettui.hardware.memory import cache_budget
from fleettui.hardware.public_runs import Key, as_run
from fleettui.hardware.queued_runs import queued
from fleettui.hardware.replica_step import step_of
from fleettui.hardware.roofline import attention_flops, flops_per_token
from fleettui.hardware.sequence_cache import forms
from fleettui.hardware.step_cost import step_time
from fleettui.hardware.weights import weights_of


def compare(points: Iterable[MeasuredPoint], step_law: StepLaw) -> tuple[tuple[Comparison, ...], tuple[Skipped, ...]]:
    """Return each point with its prediction by a law, in their order, and why others have none: they do not fit."""
    every = tuple(points)
    waiting = queued(every)
    compared: list[Comparison] = []
    refused: list[Skipped] = []
    for point in every:
        try:
            found = compare_point(point, step_law)
            waits = found.state == "unsaturated" and point in waiting
            compared.append(replace(found, state="queued") if waits else found)
        except InputError as refusal:
            unfit = f"{point.model} {point.dtype} does not fit on {point.tp} {point.gpu}"
            why = unfit if isinstance(refusal, DoesNotFit) else refusal.what
            refused.append(Skipped(line=point.line, why=why))
    return tuple(compared), tuple(refused)


def summarize(comparisons: Iterable[Comparison]) -> tuple[Summary, ...]:
    """Return one summary for each model, precision, parallelism and cache, sorted by them."""
    groups: dict[tuple[str, Dtype, int, CacheDtype, bool, bool], list[Comparison]] = {}
    for one in comparisons:
        point = one.point
        key = point.model, point.dtype, point.tp, point.kv_dtype, point.expert_parallel, point.attention_dp
        groups.setdefault(key, []).append(one)
    return tuple(_summary(groups[key]) for key in sorted(groups))


def compare_point(point: MeasuredPoint, step_law: StepLaw) -> Comparison:
    """Return `point` with the TTFT and TPOT that the full step of a law gives for it; raises DoesNotFit."""
    loop, state = loop_of(point, step_law)
    loop = replace(loop, cost=as_run(loop.cost, _key(point)))
    known = band_of(point.gpu, catalog.model(point.model), catalog.engine(point.engine).family, loop.cost)
    return Comparison(
        point=point,
        state=state,
        predicted_ttft=loop.ttft(),
        predicted_tpot=loop.tpot(),
        band=known.factors,
        mfu=implied_mfu(point),
    )


def implied_mfu(point: MeasuredPoint) -> float:
    """Return what a measurement implies: the FLOPs of the tokens it served over the datasheet peak of its GPUs."""
    gpu, model = catalog.gpu(point.gpu), catalog.model(point.model)
    prompt, decoded = point.prompt_tokens, point.output_tokens - 1
    pairs = prompt * prompt / 2 + decoded * (prompt + decoded / 2)
    flops = flops_per_token(model) * (prompt + decoded) + attention_flops(model) * pairs
    offered = point.tp * peak(gpu, weights_of(gpu, model, point.dtype).fastest(gpu))
    return point.throughput / point.output_tokens * flops / offered


def run_by(point: MeasuredPoint) -> tuple[StepCost | StepTable, int]:
    """Return the step of the replica that served `point` as public runs of its server had it, and its blocks."""
    step, blocks = replica_of(point, "kernels")
    return as_run(step, _key(point)), blocks


def _key(point: MeasuredPoint) -> Key:
    return point.gpu, point.engine, catalog.model(point.model).name, point.dtype


def engine_of(point: MeasuredPoint) -> Engine:
    """Return the engine that served `point`, as it comes for that GPU."""
    return catalog.engine(point.engine).built(catalog.gpu(point.gpu), STOCK)


def replica_of(point: MeasuredPoint, step_law: StepLaw) -> tuple[StepCost | StepTable, int]:
    """Return the step of the replica that served `point`, by a law, and its blocks; raises DoesNotFit."""
    return _replica(
        gpu=catalog.gpu(point.gpu),
        model=catalog.model(point.model),
        engine=engine_of(point),
        dtype=point.dtype,
        tp=point.tp,
        kv_dtype=point.kv_dtype,
        expert_parallel=point.expert_parallel,
        attention_dp=point.attention_dp,
        step_law=step_law,
    )


@lru_cache(maxsize=64)  # runs of one server stand together in files
def _replica(
    *,
    gpu: Gpu,
    model: Model,
    engine: Engine,
    dtype: Dtype,
    tp: int,
    kv_dtype: CacheDtype,
    expert_parallel: bool,
    attention_dp: bool,
    step_law: StepLaw,
) -> tuple[StepCost | StepTable, int]:
    ways = 1 if attention_dp else tp
    budget = cache_budget(
        gpu, model, dtype=dtype, tp=tp, engine=engine.taking(engine.bench.memory), kv_dtype=kv_dtype, ways=ways
    )
    step = step_of(
        gpu,
        model,
        dtype=dtype,
        tp=tp,
        engine=engine,
        engine_overhead=None,
        step_law=step_law,
        cache=budget.cache,
        expert_parallel=expert_parallel,
        attention_dp=attention_dp,
    )
    return step, budget.blocks


def loop_of(point: MeasuredPoint, step_law: StepLaw) -> tuple[ClosedLoop, State]:
    """Return the closed loop that `point` ran, by a law, and whether it counts; raises DoesNotFit."""
    gpu, model, engine = catalog.gpu(point.gpu), catalog.model(point.model), catalog.engine(point.engine)
    cost, blocks = replica_of(point, step_law)
    fitting = blocks * engine.rules.cache.block_size // (point.prompt_tokens + point.output_tokens)
    own = math.ceil(point.concurrency / point.batches)
    clients = max(1, min(own, fitting))
    state: State = "unsaturated"
    if own > fitting:
        state = "kv-bound"
    elif point.tpot < fastest_step(gpu, model, point):
        state = "impossible"
    loop = ClosedLoop(
        cost=cost,
        clients=clients,
        prompt_tokens=point.prompt_tokens,
        output_tokens=point.output_tokens,
        token_budget=engine.settings_on(gpu).settings.token_budget,
        alone=step_law == "kernels" and runs_prompts_alone(point),
    )
    return loop, state


def runs_prompts_alone(point: MeasuredPoint) -> bool:
    """Return whether the engine of a run has prompts in steps of their own as it comes."""
    return catalog.engine(point.engine).settings_on(catalog.gpu(point.gpu)).settings.alone


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedLoop:
    """`clients` that each keep one request of fixed lengths in flight on one replica.

    Where prompts run `alone`, requests of one length stay in step: all prompts run, then all decode.
    """

    cost: StepCost | StepTable
    clients: int
    prompt_tokens: int
    output_tokens: int
    token_budget: int
    alone: bool = False
    context_share: float = 1.0
    """Share of the cached tokens that a step reads; 0 takes the reading out of its time."""

    @property
    def chunks(self) -> int:
        """Steps that a prompt takes."""
        return math.ceil(self.prompt_tokens / self.token_budget)

    @property
    def decoding(self) -> float:
        """Mean clients that decode: all but those whose prompt waits or runs.

        A cycle takes a client's own steps, or the steps that all prompts of a cycle fill, whichever are more.
        """
        if self.alone:
            return float(self.clients)
        own = self.chunks + self.output_tokens - 1
        prompts = self.clients * self.prompt_tokens / self.token_budget
        return self.clients * (self.output_tokens - 1) / max(own, prompts)

    def tpot(self) -> float:
        """Return the mean seconds from token to token: the mean over its decode's steps, with and without prompts."""
        steps = self.output_tokens - 1
        if self.alone:
            return self.step(0) + (self.waves - 1.0) / 2.0 * self.wave / steps
        foreign = (self.clients - 1) * self.prompt_tokens
        with_prompts = min(float(steps), foreign / self.token_budget)
        mixed = self.step(self.token_budget)
        return (with_prompts * mixed + (steps - with_prompts) * self.step(0)) / steps

    def ttft(self) -> float:
        """Return the mean seconds to the first token of a request that finds no other prompt: in the steady state.

        Half of the step that runs on arrival, then its own chunks beside the others' decodes. Of prompts that run alone
        the mean of all that run in turn.
        """
        if self.alone:
            return (self.waves + 1.0) / 2.0 * self.wave
        return self.step(0) / 2 + self.chunks * self.step(self.prompt_tokens / self.chunks)

    @property
    def waves(self) -> float:
        """Steps of prompts alone that the clients' prompts fill."""
        return max(1.0, self.clients * self.prompt_tokens / self.token_budget)

    @property
    def wave(self) -> float:
        """Seconds of each."""
        return self.step(self.clients * self.prompt_tokens / self.waves)

    def step(self, prompt_tokens: float) -> float:
        """Return the seconds of a step with so many prompt tokens beside the decodes."""
        decoding = 0.0 if self.alone and prompt_tokens else self.decoding
        context = self.context_share * decoding * (self.prompt_tokens + self.output_tokens / 2)
        pairs = prompt_tokens * self.prompt_tokens / 2
        seconds = step_time(
            self.cost,
            decodes=decoding,
            context_tokens=context,
            prompt_tokens=prompt_tokens,
            attention_pairs=pairs,
            prompts=max(1.0, prompt_tokens / min(self.prompt_tokens, self.token_budget)),
        )
        return float(seconds)


def fastest_step(gpu: Gpu, model: Model, point: MeasuredPoint) -> float:
    """Return the seconds below which no mean step can be: its weights and cache at the datasheet's full bandwidth."""
    weights = weights_of(gpu, model, point.dtype).always / point.tp
    context = point.concurrency / point.batches * (point.prompt_tokens + point.output_tokens / 2)
    ways = 1 if point.attention_dp else point.tp
    return (weights + context * forms(model, point.kv_dtype)[-1].per_token_per_gpu(model, ways)) / gpu.bandwidth


def _summary(group: Sequence[Comparison]) -> Summary:
    point = group[0].point
    counted = [one for one in group if one.state == "unsaturated"]
    errors = [one.tpot_error for one in counted]
    return Summary(
        model=point.model,
        dtype=point.dtype,
        tp=point.tp,
        points=len(group),
        unsaturated=len(counted),
        kv_bound=sum(one.state == "kv-bound" for one in group),
        impossible=sum(one.state == "impossible" for one in group),
        queued=sum(one.state == "queued" for one in group),
        mean_absolute_error=sum(map(abs, errors)) / len(errors) if errors else None,
        bias=sum(errors) / len(errors) if errors else None,
        worst=max(counted, key=lambda one: abs(one.tpot_error), default=None),
        kv_dtype=point.kv_dtype,
        expert_parallel=point.expert_parallel,
        attention_dp=point.attention_dp,
    )
