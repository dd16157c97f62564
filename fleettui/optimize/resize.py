"""A fleet that is known, at other sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace

from fleettui.domain.fleet import Fleet, FleetSketch, Pool, PoolProfile, PoolSketch
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.optimize.given_fleet import ScoredFleet, score
from fleettui.optimize.ranges import Slices
from fleettui.optimize.spares import has_spares, spares

ROUNDING = 1e-9


def resize(
    fleet: Fleet,
    replicas: Sequence[int],
    *,
    question: Question,
    profiles: Sequence[Profile],
    slices: Slices,
    context: int,
    ranged: bool = True,
) -> ScoredFleet:
    """Return what the formulas say of `fleet` with `replicas` in its pools, its engines as they are.

    An engine that the catalogue explains is modelled anew for each time slice, as the search did it, so that the same
    slice asks most of the pool; one that somebody gave serves every slice. `ranged` as in `score`.
    """

    def scored(*, given: bool) -> ScoredFleet:
        sketch = _sketch(fleet, replicas, question, profiles, given=given)
        return score(question, sketch, profiles, slices, context, ranged=ranged)

    try:
        modelled = scored(given=False)
    except InputError:  # the catalogue's engine could not serve this; the given one may
        modelled = None
    if modelled is None or not _same(modelled.candidate.fleet, fleet):
        return scored(given=True)
    pairs = zip(modelled.candidate.fleet.pools, fleet.pools, strict=True)
    pools = tuple(replace(pool, profile=own.profile) for pool, own in pairs)
    return replace(modelled, candidate=replace(modelled.candidate, fleet=replace(fleet, pools=pools)))


def _same(one: Fleet, other: Fleet) -> bool:
    pairs = zip(one.pools, other.pools, strict=True)
    return all(alike(pool.profile, pool.concurrency, own) for pool, own in pairs)


def alike(engine: PoolProfile, concurrency: int, pool: Pool) -> bool:
    """Return whether a pool has this engine, but for rounding."""
    names = [field.name for field in fields(PoolProfile)]
    pairs = [(getattr(engine, name), getattr(pool.profile, name)) for name in names]
    return concurrency == pool.concurrency and all(math.isclose(a, b, rel_tol=ROUNDING) for a, b in pairs)


def _sketch(
    fleet: Fleet, replicas: Sequence[int], question: Question, profiles: Sequence[Profile], *, given: bool
) -> FleetSketch:
    """Return `fleet` with other sizes, its engines as they are or left to be modelled."""
    rows = zip(fleet.pools, replicas, profiles, strict=True)
    return FleetSketch(
        router=fleet.router,
        router_refresh=fleet.router_refresh,
        gamma=fleet.gamma,
        compressible=fleet.compressible,
        admission=fleet.admission,
        pools=tuple(
            replace(sketch_of(pool, count, given=given), spares=spares_of(pool, profile, count, question))
            for pool, count, profile in rows
        ),
    )


def spares_of(pool: Pool, profile: Profile, replicas: int, question: Question) -> int:
    """Return the spare replicas of a pool at a size: its own where the question says nothing to find them by."""
    return spares(replicas, profile, question) if has_spares(question) else pool.spares


def sketch_of(pool: Pool, replicas: int, *, given: bool) -> PoolSketch:
    """Return a pool with another size, its engine as it is or left to be modelled, without spares."""
    return PoolSketch(
        name=pool.name,
        gpu=pool.gpu,
        model=pool.model,
        dtype=pool.dtype,
        kv_dtype=pool.kv_dtype,
        expert_parallel=pool.expert_parallel,
        tp=pool.tp,
        replicas=replicas,
        context=pool.context,
        concurrency=pool.concurrency if given else None,
        max_num_seqs=pool.max_num_seqs,
        token_budget=pool.token_budget,
        prompt_steps=pool.prompt_steps,
        pp=pool.pp,
        attention_dp=pool.attention_dp,
        layout=pool.layout,
        speculative=pool.speculative,
        above=pool.above,
        up_to=pool.up_to,
        profile=pool.profile if given else None,
    )
