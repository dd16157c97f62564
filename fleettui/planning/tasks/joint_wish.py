"""By formula, what one question of a joint plan may choose from where it wishes how sure its fleet is to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.plan import Answer, Candidate
from fleettui.optimize.evaluate import Scorer
from fleettui.optimize.joint import Front, front
from fleettui.optimize.offers import offers_of, refine
from fleettui.optimize.search import Choice
from fleettui.planning.tasks import confidence
from fleettui.planning.tasks.confidence import known_by
from fleettui.planning.tasks.simulation_inputs import Scene
from fleettui.planning.tasks.slower_steps import as_slow
from fleettui.planning.tasks.sure_fleet import as_sure_as_wished


def with_surer(found: Front, scorer: Scorer, scene: Scene, share: float, *, by_power: bool) -> Front:
    """Return a front with those fleets beside it that nothing undercuts where steps take as long as a share asks for.

    Its resources are still those of the front; `as_wished` sizes all anew.
    """
    question, offers, ranges = scene.question, scorer.offers, scorer.ranges
    slow = [as_slow(one.profile, share) for one in offers]
    later = front(
        offers_of(slow, scene.case.at(scene.rate), ranges, question, scorer.terms, rivals=True),
        ranges,
        pools=question.pools,
        kinds=found.kinds,
        by_power=by_power,
        least_gamma=question.gamma[0],
    )
    known = {(one.pools, one.gamma) for one in found.choices}
    new = [one for one in later.choices if (one.pools, one.gamma) not in known]
    refine(offers, {pool for one in new for pool in one.pools})
    return replace(found, choices=(*found.choices, *(_as_predicted(one, scorer) for one in new)))


def _as_predicted(one: Choice, scorer: Scorer) -> Choice:
    """Return a fleet of longer steps as it is sized at the step times predicted."""
    gpus = sum(float(scorer.offers[place].gpus[row]) for place, row in one.pools)
    cost = sum(float(scorer.offers[place].cost[row]) for place, row in one.pools)
    return replace(one, gpus=gpus, cost=cost)


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
