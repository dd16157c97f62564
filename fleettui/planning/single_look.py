"""One fleet of a study simulated for a few runs, to see whether it holds, or how many of its replicas do."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.anchor import NOTHING_SEEN
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Look
from fleettui.planning.fleet_limits import FleetLimits
from fleettui.planning.prepared_fleet import SceneSource, prepared
from fleettui.planning.studies.study_context import StudyContext


async def looked_at(desk: StudyContext, source: SceneSource, fleet: Fleet, seed: int) -> Look | None:
    """Simulate a fleet in a scene, at its rate; None where that would take long, or no such traffic can be drawn."""
    return next(iter(await looked_around(desk, source, fleet, seed, 0)), None)


async def looked_around(desk: StudyContext, source: SceneSource, fleet: Fleet, seed: int, most: int) -> list[Look]:
    """Simulate a fleet in a scene, at its rate, then `most` other sizes at most of which its look lets expect more.

    What short runs of the fleet itself leave open is then run for longer, unless no other sizes are to be looked at.
    There is none where that would take long, or no such traffic can be drawn.
    """
    stage = await prepared(desk, source, fleet)
    limits = FleetLimits(
        workers=desk.workers,
        source=source,
        fleet=stage.candidate,
        seed=seed,
        precision=source.question.precision,
        known=(NOTHING_SEEN,) * len(fleet.pools),
        tell=desk.tell,
    )
    if await limits.look(limits.sizes, source.rate, longer=most > 0) is not None and most:
        await limits.smallest(most)
    return [replace(look, candidate=replace(look.candidate, fleet=_of_sizes(fleet, look))) for look in limits.looks]


def _of_sizes(fleet: Fleet, look: Look) -> Fleet:
    """Return a fleet as it was asked for, as large as the one that was looked at."""
    pairs = zip(fleet.pools, look.candidate.fleet.pools, strict=True)
    return replace(
        fleet, pools=tuple(replace(pool, replicas=seen.replicas, spares=seen.spares) for pool, seen in pairs)
    )
