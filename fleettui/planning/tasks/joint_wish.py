"""By formula, what one question of a joint plan may choose from where it wishes how sure its fleet is to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.plan import Answer, Candidate
from fleettui.optimize.joint import Front
from fleettui.planning.tasks import confidence
from fleettui.planning.tasks.confidence import known_by
from fleettui.planning.tasks.simulation_inputs import Scene
from fleettui.planning.tasks.sure_fleet import as_sure_as_wished


def as_wished(found: Front, fleets: Sequence[Candidate], scene: Scene, share: float) -> Front:
    """Return a front at the sizes that suffice in a share of the cases, cheapest first, without those that never do.

    `fleets` are those of its choices, which stay as they were sized for the step times predicted.
    """
    known, rows = known_by({}), list[tuple[float, int, list[int], float]]()
    for place, one in enumerate(fleets):
        sizes = confidence.sized(scene, one.fleet, known(one.fleet), share)
        if sizes is None:
            continue
        sized = scene.resize(one.fleet, sizes, ranged=False)[0].candidate
        used = sized.fleet.gpus_by_type
        rows.append((sized.cost_per_hour, place, [used.get(kind, 0) for kind in found.kinds], sized.power))
    rows.sort()
    return replace(
        found,
        gpus=np.array([gpus for _, _, gpus, _ in rows], np.int64).reshape(-1, len(found.kinds)),
        watts=np.array([watts for *_, watts in rows], float),
        choices=tuple(found.choices[place] for _, place, _, _ in rows),
    )


def none_as_sure(fleets: Sequence[Candidate], demand: DerivedDemand, scene: Scene) -> Answer:
    """Return the answer of a question of whose fleets none is as sure as it wishes at any size."""
    nominal = Answer(verdict="pass", demand=demand, answer=fleets[0], candidates=tuple(fleets))
    return as_sure_as_wished(nominal, scene, known_by({}))
