"""Requests before a router that rewrites prompts: who a little too long for a pool has its prompt cut to fit there.

They are those that come behind any other router, at the same times; which of them bear it is drawn beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fleettui.domain.simulation import Compressing, Traffic
from fleettui.simulation.draws import Draws, stream


def coming(traffic: Traffic) -> Traffic:
    """Return the traffic as it comes, each request in the pool of its length, whatever its router rewrites or sends."""
    before = traffic.before_classes or traffic.compressing
    return traffic if before is None else replace(traffic, pools=before.pools)


def compressed(draws: Draws, own: Compressing, ends: Sequence[int], *, seed: int, index: int) -> Draws:
    """Return requests of pools up to `ends` total tokens, those rewritten that the router does: in the pool before.

    A share of those of up to γ times that pool's end B has its prompt cut to B − output, if that leaves a token, and
    the same part of it cached.
    """
    below = np.asarray(ends, np.int64)[np.maximum(draws.pool - 1, 0)]
    total, left = draws.prompt.astype(np.int64) + draws.output, below - draws.output
    reach = (own.gamma * below).astype(np.int64)
    bears = stream(seed, index, 0, "compressible").random(draws.requests) < own.share
    moves = (draws.pool > 0) & (total <= reach) & (left >= 1) & bears
    prompt = np.where(moves, np.minimum(left, draws.prompt), draws.prompt)
    cached = np.where(moves, draws.cached.astype(np.int64) * prompt // draws.prompt, draws.cached)
    return replace(
        draws,
        prompt=prompt.astype(np.int32),
        cached=cached.astype(np.int32),
        pool=(draws.pool - moves).astype(np.int32),
    )
