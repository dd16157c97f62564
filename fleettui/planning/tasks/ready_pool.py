"""A pool of a kept plan's fleet, ready to be played by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.serialization import dumps
from fleettui.domain.simulation import Traffic
from fleettui.domain.slo import Slo
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import KEPT, scene_of
from fleettui.planning.tasks.task_cache import Recent
from fleettui.planning.tasks.verification import make_ready
from fleettui.simulation.layout import Engine

_scored = Recent[tuple[ScoredFleet, tuple[Profile, ...]]](KEPT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyPool:
    """A pool that is ready to be played: a replica's rows, the fleet's traffic, its own requests/s, and the SLO."""

    engine: Engine
    traffic: Traffic
    rate: float
    slo: Slo


def ready_pool(source: SceneSource, fleet: Fleet, place: int, context: Context) -> ReadyPool:
    """Return the fleet's `place`-th pool, ready to be played."""
    scene = scene_of(source)
    make_ready(context.progress)
    context.check()
    sizes = [pool.replicas for pool in fleet.pools]
    scored, profiles = _scored.get(f"{source.key} {dumps(fleet)}", lambda: scene.resize(fleet, sizes, ranged=False))
    alone = replace(fleet.pools[place], replicas=1)
    return ReadyPool(
        engine=Engine.of(alone, fleet.admission, fleet.router, profiles[place], fleet.router_refresh),
        traffic=scored.traffic,
        rate=scored.traffic.pools[place].arrival_rate,
        slo=scene.question.slo,
    )
