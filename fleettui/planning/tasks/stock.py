"""The task `stock`: the replicas that the shape of a given fleet needs."""

from __future__ import annotations

from fleettui.domain.anchor import Anchor
from fleettui.domain.fleet import Fleet
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.confidence import shape_of
from fleettui.planning.tasks.simulation_inputs import scene_of


def run(context: Context, *, source: SceneSource, fleet: Fleet, anchors: tuple[Anchor, ...]) -> tuple[int, ...]:
    """Return the fewest replicas of each pool of `fleet` that hold the source's rate, none where no size does.

    `anchors` are what was simulated of its pools. Raises InputError where the formulas cannot size such a fleet.
    """
    context.check()
    scene = scene_of(source)
    return shape_of(scene, fleet, anchors).replicas(scene.rate) or ()
