"""The task `decisive`: which input that is guessed, or left at its default, decides most about what a fleet costs."""

from __future__ import annotations

from functools import partial

from fleettui.domain.anchor import Anchor
from fleettui.domain.decisive import Decisive
from fleettui.domain.fleet import Fleet
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.deciding_inputs import of_fleet
from fleettui.planning.tasks.plan import best_of
from fleettui.planning.tasks.simulation_inputs import scene_of


def run(context: Context, *, source: SceneSource, fleet: Fleet, anchors: tuple[Anchor, ...]) -> list[Decisive]:
    """Return the inputs that move the cost of `fleet` by a tenth or more, the one that moves it most first.

    `anchors` are what was simulated of its pools.
    """
    context.check()
    scene = scene_of(source)
    return of_fleet(scene, fleet, anchors, partial(best_of, scene))
