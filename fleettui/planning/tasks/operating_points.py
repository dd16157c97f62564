"""The task `operating_points`: what one replica of each pool of a fleet runs on average."""

from __future__ import annotations

from fleettui.domain.calibration import OperatingPoint
from fleettui.domain.fleet import Fleet
from fleettui.optimize.operating_points import operating_points
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import scene_of


def run(context: Context, *, source: SceneSource, fleet: Fleet) -> tuple[OperatingPoint, ...]:
    """Return the points of the pools of `fleet`, as it is, by the formulas."""
    context.check()
    found, _ = scene_of(source).resize(fleet, [pool.replicas for pool in fleet.pools])
    return operating_points(found.candidate, found.traffic)
