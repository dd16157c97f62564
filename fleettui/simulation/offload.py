"""An engine with the memory beside its GPUs that a question asks for."""

from __future__ import annotations

import math
from dataclasses import replace

from fleettui.domain.fleet import Pool
from fleettui.domain.hardware import Profile
from fleettui.domain.kv_offload import WHERE, offload
from fleettui.errors import InputError
from fleettui.simulation.layout import Engine


def with_offload(engine: Engine, said: str, pool: Pool, profile: Profile | None, kept: int = 0) -> Engine:
    """Return the engine of a pool with that memory, each GPU's of its own; as it is where nothing is said.

    It takes what the replicas' prefix caches drop, which keep blocks of so many tokens, or where they keep none (0) the
    cache of preempted sequences. A block of b tokens is moved in b·(bytes of a token on all GPUs)/(GPUs · bandwidth)
    seconds. Raises InputError where the replicas run several batches, whose memory is not divided here, or where it
    holds not one block.
    """
    if not said:
        return engine
    assert profile is not None, f"pool {pool.name}: a cache on hardware that nobody knows"
    own, block = offload(said), engine.block * profile.kv_bytes_per_token
    if pool.batches > 1:
        raise InputError(
            f"pool {pool.name}: moving caches out is not simulated where a replica runs several batches",
            where=WHERE,
            value=said,
            remedy=f"leave out {WHERE}, or let the pool's replicas have one stage and no --attention-dp",
        )
    blocks, size = own.blocks(block, pool.tp), max(kept, engine.block)
    if blocks < size // engine.block:
        raise InputError(
            f"pool {pool.name}: this memory holds not one block of {size} tokens",
            where=WHERE,
            value=said,
            accepted=f"{_kilobytes(size / engine.block * block / pool.tp)}GB or more for each GPU",
        )
    move = own.seconds(block, pool.tp)
    return replace(engine, far=blocks, move=move) if kept else replace(engine, beside=blocks, move=move)


def _kilobytes(size: float) -> str:
    """Return so many bytes in GB, up to the next kilobyte, as the option reads it: without an exponent.

    >>> _kilobytes(2_621_440), _kilobytes(9.5)
    ('0.002622', '0.000001')
    """
    return f"{math.ceil(size / 1e3) / 1e6:f}".rstrip("0")
