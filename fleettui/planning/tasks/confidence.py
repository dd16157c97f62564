"""The task `confidence`: how sure it is that a fleet suffices."""

from __future__ import annotations

from fleettui.domain.anchor import Anchor
from fleettui.domain.confidence import Confidence
from fleettui.domain.fleet import Fleet
from fleettui.optimize import confidence
from fleettui.optimize.fleet_shape import Shape
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import scene_of


def run(context: Context, *, source: SceneSource, fleet: Fleet, anchors: tuple[Anchor, ...]) -> Confidence:
    """Return how sure it is that `fleet` holds the source's rate; `anchors` are what was simulated of its pools.

    Raises InputError where the formulas cannot size such a fleet.
    """
    context.check()
    scene = scene_of(source)
    profiles = [scene.profile_of(pool) for pool in fleet.pools]
    shape = Shape.of(fleet, scene.question, profiles, scene.case.at(1.0), anchors=anchors)
    return confidence.confidence(shape, [pool.replicas for pool in fleet.pools], scene.rate)
