"""What a request finds of its prompt, compiled: on the GPUs, or in the memory beside, from where it may be fetched.

What is there is fetched where its way takes less than to compute it: `fetches` says so of a pool, by the seconds of a
block on the way and those of its tokens in a prompt. The step that starts begins with what it fetches. What is dropped
goes there beside the steps: where it is fetched at all, a token takes a replica at least as long to get as its way back
takes to carry it, so that this keeps up.
"""

from __future__ import annotations

import math
from typing import Any

from fleettui.simulation import far_blocks, prefix_cache
from fleettui.simulation.compiled import part
from fleettui.simulation.swap_out import bring


@part
def find(pool: Any, cache: Any, index: int, request: Any) -> tuple[int, int]:
    """Note what request `index` need not compute; return its blocks on the GPUs, and those behind them beside."""
    target = request.prompt + request.generated
    near = prefix_cache.found(cache, index, target)
    far = far_blocks.found(cache, index, near, target)
    request.cached = (near + (far if pool.fetches else 0)) * cache.size
    return near, far


@part
def hit(pool: Any, replica: Any, cache: Any, index: int, request: Any, near: int, far: int) -> None:
    """Let a request that is admitted use what was found of it; it counts when it is admitted for the first time.

    What is fetched has then to be given its blocks on the GPUs, as what is computed is.
    """
    replica.free -= prefix_cache.hold(cache, index, near)
    if far > 0 and pool.fetches:
        far_blocks.fetch(cache, index, near, far)
        bring(pool, replica, far * cache.ends[0].each)
    if math.isnan(request.admitted):
        pool.asked += request.prompt
        pool.queried += min(cache.prefixes[index].known, request.prompt // cache.size)
        pool.found += request.cached // cache.size
        pool.hit += request.cached
        if pool.fetches:
            pool.fetched += far * cache.size
        else:
            pool.recomputed += far * cache.size


@part
def count_put(pool: Any, cache: Any) -> None:
    """Count the blocks that went to the memory in the present steps, where any comes back from there."""
    if pool.fetches:
        pool.put += cache.far.ends[0].put * cache.ends[0].each
    cache.far.ends[0].put = 0
