"""The least that requests take of any fleet: what no autoscaler, router or schedule can go below.

Every step is as full as an engine can make it, nothing waits, nothing is computed twice, and no replica is ever idle or
starting. A request with P prompt tokens, U of them computed, and k decode steps, which read R = k(P + 1) + k(k - 1)/2
tokens, takes of a replica

    (k + 1)·w/n + h·(R + P) + p·U                                  where steps are affine: w + h·context + p·prompt
    k·(c·v + e) + s·R + U·(c + f/b) + a·(P² - (P - U)²)/2          where they are by kernels

seconds at least. A step has n sequences and b tokens at most, and v tokens of each decode. The others are the least
that a thing costs in any step: c a token in the layers, e a sequence, s a token that is read, a a pair of attention,
and f is what a step with prompts pays once. A step lasts at least as long as the parts of all that is in it together,
so the replicas worked at least the sum over the requests. Held to every replay, and to engines of every kind:
`tests/autoscaling/test_least_work.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fleettui.simulation.curve import Curve
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine
from fleettui.simulation.work_counts import counts


class Parts(NamedTuple):
    """Seconds of a lane: of a prompt, of its computed tokens and their pairs, of decode steps and tokens they read."""

    prompt: float
    prompted: float
    pair: float
    decode: float
    read: float


def least_seconds(engine: Engine, draws: Draws, counted: NDArray[np.bool_]) -> float:
    """Return the replica-seconds that serving the `counted` of `draws` takes at least.

    `engine` has the rows of one replica. Where replicas keep prefixes, whatever can be found of a prompt counts as
    found.
    """
    if not counted.any():
        return 0.0
    rows, curve = engine.replicas, engine.curve
    costs = _affine(engine) if curve is None else _by_kernels(curve, engine)
    of = counts(engine, draws, counted)
    reads = of.reads / 2.0  # whole numbers: their sums are alike on every machine
    if curve is None:
        reads += of.prompt  # a prompt's own context counts with what is read
    work = costs.prompt * of.requests + costs.prompted * of.prompted + costs.pair * (of.pairs / 2.0)
    work += costs.decode * of.decoded + costs.read * reads
    together = work / rows + _behind(curve) * (of.prompted + engine.drafting.width * of.decoded)
    return max(together, engine.api_token * of.output / rows)


def _affine(engine: Engine) -> Parts:
    each = engine.base / engine.places
    return Parts(prompt=each, prompted=engine.per_prompt, pair=0.0, decode=each, read=engine.per_context)


def _by_kernels(curve: Curve, engine: Engine) -> Parts:
    tokens = np.arange(1, len(curve.linear), dtype=np.float64)
    layers = float((curve.linear[1:] / tokens).min())
    counts = np.arange(1, len(curve.batches))
    beside = (curve.batches["base"][1:] - curve.linear[curve.width * counts]) / counts
    paid_once = curve.floor if curve.lanes > 1 else curve.floor + curve.extra
    return Parts(
        prompt=0.0,
        prompted=layers + paid_once / engine.budget,
        pair=_least_pair(curve.prompts),
        decode=layers * curve.width + float(beside.min()),
        read=float(curve.batches["per_context"][1:].min()),
    )


def _least_pair(prompts: Any) -> float:
    """Return the least that a pair of attention takes in chunks of any size: at a corner, or beyond the last."""
    known = prompts[np.isfinite(prompts["pairs"])]
    corners = known[known["pairs"] > 0.0]
    return float(min(known["slope"][-1], *(corners["seconds"] / corners["pairs"])))


def _behind(curve: Curve | None) -> float:
    """Return the least seconds for a token in the layers behind attention, where lanes have these in common."""
    if curve is None or len(curve.shared) <= 1:
        return 0.0
    return float((curve.shared[1:] / np.arange(1, len(curve.shared))).min())
