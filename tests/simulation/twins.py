"""Random fleets that starve, on which the compiled engine is compared with its plain twin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fleettui.domain.fleet import BLOCK_SIZE
from fleettui.domain.hardware import StepTable
from fleettui.simulation.curve import Curve
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import UNLIMITED, Engine, State
from fleettui.simulation.twin import play
from tests.simulation.samples import finished

OTHER_BLOCKS = {2: (1, 1, 1), 5: (32, BLOCK_SIZE, 32)}
"""Tokens of a block in each pool, of every seventh seed from these on."""
TIMES = ("arrival", "admitted", "first", "finish")


def fleet(seed: int) -> tuple[list[Engine], Draws]:
    """Return one to three random pools, short of blocks, budget and places, and requests that fit, open or closed.

    Every second fleet's requests come in bursts, every fifth fleet has prompts whole, of every seventh blocks hold one
    token, of another seventh the pools' have different ones.
    """
    rng = np.random.default_rng(seed)
    pools = int(rng.integers(1, 4))
    longest = 32 * 2 ** np.arange(1, pools + 1)
    engines = [
        in_blocks(replace(starved(rng, int(tokens)), whole=seed % 5 == 1), size)
        for tokens, size in zip(longest, blocks_of(seed), strict=False)
    ]
    count = int(rng.integers(150, 400))
    pool = rng.integers(0, pools, count).astype(np.int32)
    total = rng.integers(2, longest[pool] + 1).astype(np.int32)
    prompt = np.maximum(1, (total * rng.random(count)).astype(np.int32))
    cached = np.minimum(rng.choice((0.0, 0.5)) * prompt, prompt - 1).astype(np.int32)
    clients = int(rng.integers(1, 60)) if seed % 3 == 0 else 0
    rate, burst = 10.0 ** rng.uniform(0.3, 2.3), (1.0, 0.05)[seed % 2]
    return engines, Draws(
        prompt=prompt,
        cached=cached,
        output=(total - prompt + 1).astype(np.int32),
        pool=pool,
        tie=rng.random(count),
        arrivals=None if clients else np.cumsum(rng.gamma(burst, 1 / (burst * rate), count)),
        clients=clients,
        thinking=rng.exponential(0.2, count),
    )


def blocks_of(seed: int) -> tuple[int, int, int]:
    """Return the tokens of a block in each pool of the fleet of a seed."""
    return OTHER_BLOCKS.get(seed % 7, (BLOCK_SIZE,) * 3)


def in_blocks(engine: Engine, size: int) -> Engine:
    """Return an engine with about as many tokens in blocks of another size."""
    if size == engine.block or engine.blocks == UNLIMITED:
        return replace(engine, block=size)
    return replace(engine, block=size, blocks=engine.blocks * engine.block // size + 2)


def starved(rng: np.random.Generator, longest: int) -> Engine:
    """Return a random engine, short of everything; every second one's steps follow a curve, some prompts run alone."""
    budget = int(rng.choice((3, 16, 64, 2048)))
    places = min(int(rng.integers(1, 20)), budget)
    blocks = longest // BLOCK_SIZE + int(rng.integers(1, 12))
    paged = rng.random() < 0.8
    lanes = int(rng.choice((1, 1, 2, 3)))
    return Engine(
        base=10.0 ** rng.uniform(-3, -2),
        per_context=10.0 ** rng.uniform(-7, -5),
        per_prompt=10.0 ** rng.uniform(-6, -4),
        budget=budget,
        places=places,
        blocks=blocks if paged else UNLIMITED,
        watermark=int(rng.integers(0, 2)) if paged else 0,
        replicas=int(rng.integers(1, 5)) * lanes,
        lanes=lanes,
        curve=Curve.of(table(rng), budget=budget, places=places) if rng.random() < 0.5 else None,
        alone=bool(rng.random() < 0.3),
        api_token=float(rng.choice((0.0, 10.0 ** rng.uniform(-5, -3)))),
    )


def in_lockstep(engine: Engine, rng: np.random.Generator) -> Engine:
    """Return the engine with two to four lanes a replica that step together, its curve one of their own."""
    lanes = int(rng.integers(2, 5))
    curve = engine.curve
    if curve is not None:
        steps = table(rng)
        steps = replace(steps, gathered=tuple(rng.uniform(0.1, 0.9) * one for one in steps.linear))
        curve = Curve.of(steps, budget=engine.budget, places=engine.places, lanes=lanes)
    return replace(engine, lanes=1, together=lanes, replicas=lanes * int(rng.integers(1, 4)), curve=curve)


def table(rng: np.random.Generator) -> StepTable:
    """Return steps that rise in random ways with tokens, sequences and pairs."""

    def rising(count: int, most: float) -> tuple[float, ...]:
        return tuple(np.cumsum(rng.uniform(0.0, most, count)).tolist())

    return StepTable(
        overhead=10.0 ** rng.uniform(-4, -3),
        tokens=(1.0, 5.0, 17.0, 64.0, 700.0),
        linear=rising(5, 4e-3),
        sequences=(0.0, 1.0, 4.0, 9.0),
        fixed=rising(4, 1e-3),
        slope=tuple((np.array(rising(4, 1e-5)) / (1.0, 1.0, 4.0, 9.0)).tolist()),
        pairs=(0.5, 40.0, 900.0, 30_000.0),
        attention=(0.0, *rising(3, 2e-3)),
        prompt_floor=10.0 ** rng.uniform(-5, -3),
        prompt_least=float(rng.choice((0.0, 5e-3))),
        prompt_extra=float(rng.choice((0.0, 1e-3))),
        shown_sequences=4,
        shown_tokens=64,
        parts=(),
    )


def played_alike(engines: Sequence[Engine], draws: Draws) -> tuple[State, State]:
    """Return the compiled engine's states, step by step and leaping, after asserting that they are the twin's."""
    plain, leaped = (finished(engines, draws, leaping=leaping) for leaping in (False, True))
    twin = play(engines, draws)
    for name in TIMES:
        expected = np.array([getattr(request, name) for request in twin])
        assert np.array_equal(plain.requests[name], expected, equal_nan=True), name
        assert np.allclose(leaped.requests[name], plain.requests[name], rtol=0, atol=1e-9, equal_nan=True), name
    for state in (plain, leaped):
        assert state.pools["preempted"].sum() == sum(request.preempted for request in twin)
    return plain, leaped
