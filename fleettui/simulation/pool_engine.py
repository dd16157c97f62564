"""The engine of a fleet's pool under its traffic: features, limits on a request's stay, drafts, slow replicas."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.bounds import Bounds
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.simulation import Traffic
from fleettui.errors import InputError
from fleettui.simulation.draws import stream
from fleettui.simulation.layout import Engine
from fleettui.simulation.offload import with_offload
from fleettui.simulation.session_draws import BLOCK
from fleettui.simulation.speculation import CHANCES


def engine_of(fleet: Fleet, traffic: Traffic, place: int, profile: Profile | None, *, seed: int, index: int) -> Engine:
    """Return the engine of a pool with all that its traffic brings."""
    pool = fleet.pools[place]
    if (kept := kept_blocks(traffic)) and kept % pool.profile.block_size:
        raise InputError(
            f"pool {pool.name}: its blocks are larger than those by which prefixes are known",
            where="block_size",
            value=pool.profile.block_size,
            accepted=f"a part of {kept} tokens",
        )
    own = Engine.of(pool, fleet.admission, fleet.router, profile, fleet.router_refresh)
    own = with_offload(own, traffic.kv_offload, pool, profile, kept_blocks(traffic))
    own = traffic.features.engine(own, pool)
    own = bounded(own, traffic.bounds, pool.profile.front_end)
    return lucky(replace(own, slow=traffic.slow), seed, index, place)


def kept_blocks(traffic: Traffic) -> int:
    """Return the tokens of the blocks that replicas keep, 0 where they keep none."""
    if traffic.prefixes is not None:
        return traffic.prefixes.block
    return BLOCK if traffic.keeps else 0


def bounded(engine: Engine, bounds: Bounds, front_end: float) -> Engine:
    """Return an engine with the bounds of a request's stay, whose client waits for the front end too, in seconds."""
    retries, backoff = bounds.retries or 0, bounds.backoff or 0.0
    return replace(engine, queue=bounds.queue, patience=bounds.patience(front_end), retries=retries, backoff=backoff)


def lucky(engine: Engine, seed: int, index: int, place: int) -> Engine:
    """Return an engine whose drafts are accepted by the luck of replication `index`, where they are sampled."""
    if not engine.drafting.sampled:
        return engine
    return replace(engine, luck=int(stream(seed, index, place, "drafts").integers(CHANCES)))
