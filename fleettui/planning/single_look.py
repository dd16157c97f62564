"""One fleet of a study simulated for a few runs, to see whether it holds."""

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
    look = await limits.look(limits.sizes, source.rate)
    return None if look is None else replace(look, candidate=replace(look.candidate, fleet=fleet))
