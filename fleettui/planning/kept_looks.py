"""What a plan and its studies simulated, kept with them: no later study simulates that again, or says otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.domain.anchor import Anchor, SeenPool
from fleettui.domain.plan import ENGINE_VERSION, Candidate, Look
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import seen_pools
from fleettui.planning.anchors import kinds_of
from fleettui.planning.ladder import as_the_rungs_tell

if TYPE_CHECKING:
    from store import Store

MOST_STUDIES = 1_000
"""Studies of a plan that are read for it, the newest."""
ROUNDING = 1e-9


def looks_of(store: Store, plan: str) -> tuple[Look, ...]:
    """Return what the plan with this id and its kept studies simulated with today's engine, each once.

    Of the plan itself that is what showed how far a fleet that was given reaches.
    """
    studies = [one for one in store.studies(MOST_STUDIES, plan) if one.engine_version == ENGINE_VERSION]
    return tuple(dict.fromkeys((*own_looks(store, plan), *(look for study in studies for look in study.looks))))


def own_looks(store: Store, plan: str) -> tuple[Look, ...]:
    """Return what the plan with this id simulated beside its fleets with today's engine, whatever its studies did."""
    own = store.plan(plan, most=1)
    return own.looks if own.plan.engine_version == ENGINE_VERSION else ()


def seen_in(look: Look, question: Question) -> tuple[SeenPool, ...]:
    """Return what a look showed of each pool; what failed is known to, whatever else did."""
    pairs = zip(seen_pools(look.candidate, question, look.rate), look.evidence.pools, strict=True)
    return tuple(replace(one, passed=False) if pool.verdict == "fail" else one for one, pool in pairs)


def with_looks(
    anchors: Sequence[Anchor], looks: Sequence[Look], fleet: Candidate, question: Question
) -> tuple[Anchor, ...]:
    """Return the anchors of a fleet's pools with what looks at fleets of the same pools showed of each.

    What they did not prove either way still says how far the formulas are off; where the fleet itself was seen on rungs
    they alone do.
    """
    kinds, found = kinds_of(fleet), [list(own.seen) for own in anchors]
    for look in looks:
        rows = zip(kinds_of(look.candidate), seen_in(look, question), look.evidence.pools, strict=True)
        for kind, seen, pool in rows:
            known = seen if pool.verdict != "unproven" else Anchor(seen=(seen,)).elsewhere.seen[0]
            for place, wanted in enumerate(kinds):
                if wanted == kind and known not in found[place]:
                    found[place].append(known)
    sizes = tuple(pool.replicas for pool in fleet.fleet.pools)
    own = (look for look in looks if look.sizes == sizes and kinds_of(look.candidate) == kinds)
    return as_the_rungs_tell([Anchor(seen=tuple(seen)) for seen in found], own)


def is_of(look: Look, fleet: Candidate, question: Question) -> bool:
    """Return whether a look was at pools like a fleet's, and did not pass where they were busier than they may be."""
    busy = any(pool.utilization > question.max_utilization * (1.0 + ROUNDING) for pool in look.candidate.pools)
    return kinds_of(look.candidate) == kinds_of(fleet) and not (look.holds and busy)
