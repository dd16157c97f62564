"""The requests of all pools of an open loop together, for routers that send between pools.

Poisson streams that are laid over each other are one, so each pool keeps the requests that it has when it is run by
itself. Other arrivals come in one stream, whose bursts all pools meet at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fleettui.domain.simulation import PoolTraffic, Traffic
from fleettui.simulation.draws import Draws, drawn, pools_drawn, stream, times
from fleettui.workloads.arrivals import asked

MORE = 1.05
"""How many more requests than expected are drawn of each pool, beside SIGMAS standard deviations."""
SIGMAS = 6.0


def joint_draws(traffic: Traffic, *, requests: int, seed: int, index: int) -> Draws:
    """Return the first `requests` of an open loop's pools by their arrival, each with the pool of its length."""
    if asked(traffic.arrivals).process.divides:
        return _laid_over(traffic, requests=requests, seed=seed, index=index)
    coming = times(traffic.arrivals, traffic.rate, traffic.record, requests, stream(seed, index, 0, "arrivals"))
    found = pools_drawn(traffic, requests=requests, seed=seed, index=index, arrivals=coming)
    if traffic.bounds.retries is None:
        return found
    return replace(found, jitter=stream(seed, index, 0, "retries").random((requests, traffic.bounds.retries)))


def _laid_over(traffic: Traffic, *, requests: int, seed: int, index: int) -> Draws:
    """Return the streams that the pools have by themselves in one."""
    shares, more = [pool.arrival_rate / traffic.rate for pool in traffic.pools], MORE
    while True:
        counts = [math.ceil(more * requests * share + SIGMAS * math.sqrt(requests * share) + 1) for share in shares]
        own = [drawn(traffic, place, count, seed=seed, index=index) for place, count in enumerate(counts)]
        arrivals = [one.arrivals for one in own if one.arrivals is not None]
        until = min(float(coming[-1]) for coming in arrivals)
        every = np.concatenate(arrivals)
        if (every <= until).sum() >= requests:
            break
        more *= 2.0
    order = np.argsort(every, kind="stable")[:requests]
    pool = np.repeat(np.arange(len(own), dtype=np.int32), counts)[order]
    jitter = [one.jitter for one in own if one.jitter is not None]
    batch = [one.batch for one in own if one.batch is not None]
    return Draws(
        prompt=np.concatenate([one.prompt for one in own])[order],
        cached=np.concatenate([one.cached for one in own])[order],
        output=np.concatenate([one.output for one in own])[order],
        pool=pool,
        tie=np.concatenate([one.tie for one in own])[order],
        arrivals=every[order],
        thinking=np.zeros(0),
        jitter=np.concatenate(jitter)[order] if jitter else None,
        batch=np.concatenate(batch)[order] if batch else None,
    )


def mixed(traffic: Traffic, homes: Sequence[int], place: int) -> PoolTraffic:
    """Return what a pool was sent that got so many requests of each pool's lengths: its own part if only of those."""
    own, total = traffic.pools[place], sum(homes)
    if homes[place] == total:
        return own
    atoms = tuple(
        (weight * count / total / math.fsum(one[0] for one in pool.atoms), prompt, output)
        for pool, count in zip(traffic.pools, homes, strict=True)
        if count
        for weight, prompt, output in pool.atoms
    )
    return PoolTraffic(arrival_rate=own.arrival_rate, atoms=atoms)
