"""Everything random of one replication but when replicas fail, drawn before it runs: a stream per purpose and pool.

A stream is a function of the root seed, the replication's index, the pool's place and the purpose, so replications
can run in any order on any worker, and fleets that differ only in their sizes meet the same requests (common random
numbers). A longer draw begins with the shorter one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.arrivals import ArrivalRecord
from fleettui.domain.simulation import PoolTraffic, Traffic
from fleettui.domain.workload import Atom
from fleettui.simulation.prefix_draws import in_order
from fleettui.simulation.prefixes import Prefixes
from fleettui.simulation.rounds import Rounds
from fleettui.workloads.arrivals import ARRIVALS, asked

Floats = NDArray[np.float64]
Whole = NDArray[np.int32]

BELOW_ONE = float(np.nextafter(1.0, 0.0))
SPARE = 1.1
"""How many more requests than expected are drawn of a stream, of which a pool gets a part."""
PURPOSES = (
    *("arrivals", "lengths", "rounding", "ties", "thinking", "pools", "retries", "prefixes", "classes", "guesses"),
    *("drafts", "tails", "sessions", "launches", "compressible"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """The requests of one replication; arrays of shape (requests,).

    `arrivals` are seconds from the start, NaN for the later `rounds` of sessions, None for a closed loop of `clients`
    clients; `thinking` is what a client waits after request i. With `prefixes` every replica keeps what it computed,
    and `cached` are results. `jitter`, of shape (requests, retries), spreads the times at which requests come again.
    `batch` are those of class batch, None where there are no classes. `guess` are output tokens as a scheduler guesses
    them, None where it knows them.
    """

    prompt: Whole
    cached: Whole
    output: Whole
    pool: Whole
    tie: Floats
    arrivals: Floats | None = None
    clients: int = 0
    thinking: Floats
    prefixes: Prefixes | None = None
    jitter: Floats | None = None
    batch: NDArray[np.bool_] | None = None
    rounds: Rounds | None = None
    guess: Floats | None = None

    @property
    def requests(self) -> int:
        """How many requests there are."""
        return len(self.prompt)


NOTHING = Draws(
    prompt=np.zeros(0, np.int32),
    cached=np.zeros(0, np.int32),
    output=np.zeros(0, np.int32),
    pool=np.zeros(0, np.int32),
    tie=np.zeros(0),
    arrivals=np.zeros(0),
    thinking=np.zeros(0),
)
"""No request."""


def stream(seed: int, index: int, pool: int, purpose: str) -> np.random.Generator:
    """Return the generator of one purpose of one pool in replication `index`."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index, pool, PURPOSES.index(purpose))))


def drawn(traffic: Traffic, place: int, requests: int, *, seed: int, index: int) -> Draws:
    """Return so many requests of one part of open traffic, in a replication of its own.

    Those of a trace that is played in its order come with what they share.
    """
    pool, retries = traffic.pools[place], traffic.bounds.retries
    found = open_draws(
        pool,
        place,
        prefix_hit=traffic.prefix_hit,
        requests=requests,
        seed=seed,
        index=index,
        arrivals=traffic.arrivals,
        rate=traffic.rate,
        record=traffic.record,
    )
    if retries is not None:
        found = replace(found, jitter=stream(seed, index, place, "retries").random((requests, retries)))
    found = replace(found, batch=classes(traffic, place, requests, seed=seed, index=index))
    if traffic.prefixes is None:
        return found
    assert pool.lengths is not None, "which requests of the trace a pool is sent"
    played = in_order(
        traffic.prefixes,
        pool.lengths,
        rate=traffic.rate,
        requests=requests,
        draws=stream(seed, index, place, "prefixes"),
    )
    return replace(
        found,
        prompt=played.prompt,
        output=played.output,
        cached=np.zeros(requests, np.int32),
        prefixes=played.prefixes,
    )


def classes(traffic: Traffic, place: int, requests: int, *, seed: int, index: int) -> NDArray[np.bool_] | None:
    """Return which of a part's requests are of class batch, None where the traffic has no classes."""
    if not traffic.batch_share:
        return None
    found: NDArray[np.bool_] = stream(seed, index, place, "classes").random(requests) < traffic.batch_share
    return found


def open_draws(
    pool: PoolTraffic,
    place: int,
    *,
    prefix_hit: float,
    requests: int,
    seed: int,
    index: int,
    arrivals: str = ARRIVALS.default.name,
    rate: float | None = None,
    record: ArrivalRecord | None = None,
) -> Draws:
    """Return `requests` arrivals of one pool, the fleet's `place`-th, as pool 0 of a run of its own.

    They are its part of the fleet's, which are `rate` per second (the pool's own where none is said) and come by the
    process `arrivals`, from the workload's `record` where it rests on that.
    """
    prompt, cached, output = _lengths(pool.atoms, prefix_hit, requests, (seed, index, place))
    return Draws(
        prompt=prompt,
        cached=cached,
        output=output,
        pool=np.zeros(requests, np.int32),
        tie=stream(seed, index, place, "ties").random(requests),
        arrivals=_arrivals(
            arrivals,
            (pool.arrival_rate, pool.arrival_rate if rate is None else rate),
            record,
            requests,
            stream(seed, index, place, "arrivals"),
        ),
        thinking=np.zeros(0),
    )


def closed_draws(traffic: Traffic, *, requests: int, seed: int, index: int) -> Draws:
    """Return `requests` requests that the closed loop of `traffic` sends, each to a pool by the pools' rates."""
    assert traffic.concurrency is not None, "an open loop has arrivals"
    thinking = stream(seed, index, 0, "thinking").standard_exponential(requests) * traffic.think
    found = pools_drawn(traffic, requests=requests, seed=seed, index=index)
    return replace(found, clients=traffic.concurrency, thinking=thinking)


def pools_drawn(traffic: Traffic, *, requests: int, seed: int, index: int, arrivals: Floats | None = None) -> Draws:
    """Return `requests` of one stream at these times, each to a pool by the pools' rates."""
    rates = np.array([pool.arrival_rate for pool in traffic.pools])
    chosen = choices(rates, stream(seed, index, 0, "pools").random(requests)).astype(np.int32)
    lengths = np.zeros((3, requests), np.int32)
    for place, pool in enumerate(traffic.pools):
        own = np.flatnonzero(chosen == place)
        lengths[:, own] = _lengths(pool.atoms, traffic.prefix_hit, len(own), (seed, index, place))
    return Draws(
        batch=classes(traffic, 0, requests, seed=seed, index=index),
        prompt=lengths[0],
        cached=lengths[1],
        output=lengths[2],
        pool=chosen,
        tie=stream(seed, index, 0, "ties").random(requests),
        arrivals=arrivals,
        thinking=np.zeros(0),
    )


def times(name: str, rate: float, record: ArrivalRecord | None, requests: int, draws: np.random.Generator) -> Floats:
    """Return the first `requests` times of a whole stream of `rate` per second."""
    process = asked(name)
    found: Floats = process.process.times(draws, requests, process.stream(rate, record))
    return found


def _arrivals(
    name: str, rates: tuple[float, float], record: ArrivalRecord | None, requests: int, draws: np.random.Generator
) -> Floats:
    """Return the first `requests` times of a pool's part of a stream; `rates` are the pool's and the stream's."""
    process, (own, whole) = asked(name), rates
    share = min(own / whole, 1.0)
    if process.process.divides or share == 1.0:
        return times(name, own, record, requests, draws)
    coming, picking = draws.spawn(2)
    states = coming.bit_generator.state, picking.bit_generator.state
    count = requests
    while True:
        count = math.ceil(count / share * SPARE) if count == requests else 2 * count
        coming.bit_generator.state, picking.bit_generator.state = states
        picked: Floats = process.process.times(coming, count, process.stream(whole, record))
        picked = picked[picking.random(count) < share]
        if len(picked) >= requests:
            return picked[:requests]


def _lengths(
    atoms: Sequence[Atom], prefix_hit: float, requests: int, key: tuple[int, int, int]
) -> tuple[Whole, Whole, Whole]:
    """Return prompt, cached and output tokens: atoms by their weights, rounded up or down at random to whole tokens.

    One draw rounds prompt and output against each other, so that means are kept and no total is above its atom's
    rounded up. At least one token of a prompt is computed and one is put out, as in the formulas.
    """
    seed, index, place = key
    weight, prompt, output = np.array(atoms, float).T
    rows = choices(weight, stream(seed, index, place, "lengths").random(requests))
    chance = stream(seed, index, place, "rounding").random((requests, 2))
    whole_prompt = np.maximum(np.floor(prompt[rows] + chance[:, 0]), 1.0)
    whole_output = np.maximum(np.floor(output[rows] + (BELOW_ONE - chance[:, 0])), 1.0)
    cached = np.minimum(np.floor(whole_prompt * prefix_hit + chance[:, 1]), whole_prompt - 1.0)
    return whole_prompt.astype(np.int32), cached.astype(np.int32), whole_output.astype(np.int32)


def choices(weights: Floats, uniform: Floats) -> NDArray[np.int64]:
    """Return an index for each number in [0, 1), each index as often as its weight says.

    Most numbers have the index of the edge of their part of [0, 1); the others are searched for.
    """
    ends = np.cumsum(weights)
    sought, parts = uniform * ends[-1], 1 << max(len(uniform).bit_length() - 4, 0)
    edges = np.searchsorted(ends, np.arange(parts) / parts * ends[-1], side="right")
    found: NDArray[np.int64] = np.minimum(edges, len(ends) - 1)[(uniform * parts).astype(np.int64)]
    beyond = np.flatnonzero(ends[found] <= sought)
    found[beyond] = np.minimum(np.searchsorted(ends, sought[beyond], side="right"), len(ends) - 1)
    return found
