"""A measured run played again by the engine: the loop of its clients, or its arrivals, on one replica."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.fleet import WATERMARK
from fleettui.domain.hardware import StepTable
from fleettui.domain.validation import Comparison, MeasuredPoint
from fleettui.hardware import catalog
from fleettui.hardware.engine_record import FrontEnd
from fleettui.hardware.validation import engine_of, run_by, runs_prompts_alone
from fleettui.simulation.curve import Curve
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.run import play

Whole = NDArray[np.int64]

WAVES, WARM_WAVES = 10, 2
"""Requests of each client that count, as published loops have them, and those before them in a steady state."""
OPEN_REQUESTS, MOST_REQUESTS = 1000, 20_000
GAP = 0.02
"""Mean seconds between a client's answer and its next request: the load generator's own, in no figure of it."""
UNIFORM = 0.1 / 0.9
"""How far lengths that are uniform from 0.8 to 1 of those stated lie from their mean, as a share of it."""
SEED = 1


def replayed(comparison: Comparison) -> Comparison:
    """Return a comparison by measured kernels with the mean times of the engine that plays its run.

    The front end is in TTFT. Where no client's request fits the cache it stays as it is.
    """
    table, blocks = run_by(comparison.point)
    assert isinstance(table, StepTable), "kernels are tabulated"
    return replayed_by(comparison, table, blocks, engine_of(comparison.point).front_end)


def replayed_by(comparison: Comparison, table: StepTable, blocks: int, front_end: FrontEnd) -> Comparison:
    """Return the same of a replica whose steps, blocks and front end are given."""
    point = comparison.point
    engine = _engine(point, table, blocks, front_end)
    if point.prompt_tokens + point.output_tokens > engine.longest():
        return comparison
    draws = _draws(point)
    warm = WARM_WAVES * point.concurrency if point.protocol == "steady" else 0
    requests = play([engine], draws, 0, draws.requests).state.requests[warm:]
    first = requests["first"] - requests["arrival"]
    each = (requests["finish"] - requests["first"]) / np.maximum(requests["output"] - 1, 1)
    tpot = float(each.mean())
    polled = tpot * _steps_waited(point)
    return replace(
        comparison,
        predicted_ttft=float(first.mean()) + front_end.request + polled,
        predicted_tpot=tpot,
        front_end=front_end.request + polled,
        waits=float(first.mean() - first.min()),
    )


def _engine(point: MeasuredPoint, table: StepTable, blocks: int, front_end: FrontEnd) -> Engine:
    """Return one replica as the bench's recipes set it; every client has a place.

    Prompts are cut whatever the engine does as it comes: so they were fitted, and of so few tokens a step that take one
    whole, public runs of TensorRT-LLM would have waited a hundred times as long as they did.
    """
    recipe = catalog.engine(point.engine).bench
    budget = recipe.budget(point.prompt_tokens, point.concurrency)
    places = budget if point.protocol == "open" else min(point.concurrency, budget)  # of each of its batches
    return Engine(
        base=table.overhead,
        per_context=0.0,
        per_prompt=0.0,
        budget=budget,
        places=places,
        blocks=blocks,
        block=engine_of(point).rules.cache.block_size,
        watermark=int(blocks * WATERMARK),
        replicas=point.batches,
        together=_lanes(point),
        alone=runs_prompts_alone(point),
        api_token=front_end.output_token * point.batches / recipe.handed_out(point.gpu),
        curve=Curve.of(table, budget=budget, places=places, lanes=_lanes(point)),
    )


def _steps_waited(point: MeasuredPoint) -> float:
    """Return for how many steps a request waits until the recipe has the engine look for it and run its prompt."""
    recipe, between = catalog.engine(point.engine).bench, point.output_tokens / point.concurrency
    return recipe.steps_waited(point.gpu, point.concurrency) + recipe.lanes_waited(point.gpu, _lanes(point), between)


def _lanes(point: MeasuredPoint) -> int:
    """Return how many batches step together, those of GPUs that attend to sequences of their own."""
    return point.batches if point.attention_dp else 1


def _draws(point: MeasuredPoint) -> Draws:
    """Return the run's requests: WAVES of each client, or Poisson arrivals at its rate."""
    rng = np.random.default_rng(SEED)
    waves = WAVES + (WARM_WAVES if point.protocol == "steady" else 0)
    count = min(
        (point.requests or OPEN_REQUESTS) if point.protocol == "open" else waves * point.concurrency, MOST_REQUESTS
    )
    prompt, output = (_lengths(point, mean, count, rng) for mean in (point.prompt_tokens, point.output_tokens))
    is_open = point.protocol == "open" and point.request_rate is not None
    return Draws(
        prompt=prompt.astype(np.int32),
        cached=np.zeros(count, np.int32),
        output=output.astype(np.int32),
        pool=np.zeros(count, np.int32),
        tie=np.zeros(count),
        arrivals=np.cumsum(rng.exponential(1.0 / (point.request_rate or 1.0), count)) if is_open else None,
        clients=0 if is_open else min(point.concurrency, count),
        thinking=rng.exponential(GAP, count),
    )


def _lengths(point: MeasuredPoint, mean: int, count: int, rng: np.random.Generator) -> Whole:
    """Return the tokens of each request, uniform about the mean ones: as stated, or as an engine's loops scatter."""
    if point.exact:
        return np.full(count, mean)
    apart = UNIFORM if point.uniform else catalog.engine(point.engine).bench.scatter
    return rng.integers(max(1, round((1.0 - apart) * mean)), round((1.0 + apart) * mean) + 1, count)
