"""The task `redundancy`: what spare replicas of a fleet give, and what one failure at the peak leaves."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.anchor import Anchor
from fleettui.domain.fleet import Fleet
from fleettui.domain.redundancy import Redundancy, SeenServing
from fleettui.optimize import redundancy
from fleettui.optimize.spares import share_up
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.confidence import shape_of
from fleettui.planning.tasks.simulation_inputs import Scene, scene_of


def run(
    context: Context,
    *,
    source: SceneSource,
    fleet: Fleet,
    anchors: tuple[Anchor, ...],
    seen: tuple[SeenServing, ...] = (),
) -> Redundancy:
    """Return how `fleet` stands the failures that the source's question tells of, at its rate.

    `anchors` are what was simulated of its pools, `seen` what it came to at some sizes.

    Raises InputError where the formulas cannot size such a fleet.
    """
    context.check()
    found = of_fleet(scene_of(source), fleet, anchors, seen)
    assert found is not None, "the question says nothing of failures"
    return found


def of_fleet(
    scene: Scene, fleet: Fleet, anchors: Sequence[Anchor], seen: Sequence[SeenServing] = ()
) -> Redundancy | None:
    """Return the same in a scene, None where its question says nothing of failures."""
    if share_up(scene.question) is None:
        return None
    replicas, spares = [pool.replicas for pool in fleet.pools], [pool.spares for pool in fleet.pools]
    return redundancy.redundancy(shape_of(scene, fleet, anchors), replicas, spares, scene.rate, seen)
