"""Requests whose pool is chosen by a guess of their output, which is off by so much, where the engine knows the truth.

A request that is guessed too short goes to a pool that does not hold all of it. There it puts out what its context
leaves; the rest is served in the pool of its true length, where its prompt and what it put out are computed again.
The two are one request, in parts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.fleet import LARGEST_BLOCK
from fleettui.simulation.draws import Draws, stream
from fleettui.simulation.prefixes import Prefixes
from fleettui.simulation.rounds import Rounds

Floats = NDArray[np.float64]


def guesses(output: NDArray[np.int32], error: float, draws: np.random.Generator) -> Floats:
    """Return a guess of each output, in whole tokens: the truth times a lognormal factor of mean 1 and CV `error`."""
    sigma = math.sqrt(math.log1p(error**2))
    factors = np.exp(sigma * draws.standard_normal(len(output)) - sigma**2 / 2.0)
    return np.maximum(np.rint(output * factors), 1.0)


def with_guesses(draws: Draws, error: float | None, *, seed: int, index: int, place: int) -> Draws:
    """Return requests with a guess of each output for their scheduler, which knows them where there is no `error`."""
    if not error:
        return draws
    return replace(draws, guess=guesses(draws.output, error, stream(seed, index, place, "guesses")))


def guessed(draws: Draws, ends: Sequence[int], error: float, *, front_end: Floats, seed: int, index: int) -> Draws:
    """Return the requests of `draws`, each in the pool of its guessed length, with the parts of those that outgrow it.

    Pools hold up to `ends` total tokens. The second part comes once the first is over, and what requests take in front
    of its pool, `front_end` seconds by pool. Parts stand behind all requests, and nothing is cached.
    """
    edges = np.array(ends)
    total = draws.prompt.astype(np.int64) + draws.output
    outputs = guesses(draws.output, error, stream(seed, index, 0, "guesses"))
    pool = np.minimum(np.searchsorted(edges, draws.prompt + outputs), len(edges) - 1)
    outgrown = np.flatnonzero(edges[pool] < total)
    first = draws.output.copy()
    first[outgrown] = edges[pool[outgrown]] - draws.prompt[outgrown]
    count, parts = draws.requests, len(outgrown)
    then = np.full(count + parts, -1, np.int32)
    then[outgrown] = count + np.arange(parts)
    home = np.searchsorted(edges, total[outgrown])
    pools = np.concatenate([pool, home]).astype(np.int32)
    assert draws.arrivals is not None, "an open loop has arrivals"

    def with_parts(values: NDArray[np.int32], of_parts: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.concatenate([values, of_parts]).astype(np.int32)

    return replace(
        draws,
        prompt=with_parts(draws.prompt, (draws.prompt + first)[outgrown]),
        output=with_parts(first, (draws.output - first)[outgrown]),
        cached=np.zeros(count + parts, np.int32),
        pool=pools,
        tie=np.concatenate([draws.tie, draws.tie[outgrown]]),
        batch=None if draws.batch is None else np.concatenate([draws.batch, draws.batch[outgrown]]),
        arrivals=np.concatenate([draws.arrivals, np.full(parts, np.nan)]),
        guess=np.concatenate([outputs, np.maximum(outputs - first, 1.0)[outgrown]]),
        prefixes=Prefixes(
            size=LARGEST_BLOCK,
            offsets=np.zeros(count + parts, np.int64),
            known=np.zeros(count + parts, np.int32),
            runs=np.zeros(0, np.int32),
            lengths=np.zeros(0, np.int32),
        ),
        rounds=Rounds(
            begun=count,
            then=then,
            pause=np.where(np.arange(count + parts) < count, 0.0, front_end[pools]),
            gap=np.zeros(count + parts),
            parts=True,
        ),
    )
