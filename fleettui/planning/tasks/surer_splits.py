"""The task `surer_splits`: fleets of several pools that divide where the steps of a wished share of the cases ask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fleettui.domain.fleet import Fleet, FleetSketch
from fleettui.domain.plan import Candidate, Look
from fleettui.domain.seen_fleets import by_replica, merged
from fleettui.errors import InputError
from fleettui.optimize.offers import Anchors
from fleettui.optimize.resize import sketch_of
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.surest_rate import NEARLY
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import confidence
from fleettui.planning.tasks.finer_splits import between
from fleettui.planning.tasks.plan import answer_case
from fleettui.planning.tasks.simulation_inputs import Scene, scene_of
from fleettui.planning.tasks.slower_steps import as_slow
from fleettui.planning.worth import Worth, worth_of

MOST_MAKES = 6
"""Fleets of unlike replicas, the best first, that are divided between the grid's points, too."""
REACH = 1
"""So many points of the grid away from a split: of all that are enough by formula one alone is looked at."""
STEPS = 4
"""Steps from the share to one nearly as large: the first at which a fleet is enough divides it best."""


def run(
    context: Context,
    *,
    source: SceneSource,
    tried: Sequence[Candidate],
    looks: Sequence[Look],
    share: float,
    most: float,
) -> list[Candidate]:
    """Return fleets of several pools as large as a `share` of the cases asks for, or nearly so large, best first.

    They are worth less than `most` of what the question's objective counts, one of each replicas, and divide where by
    formula, as those that were `tried` and `looks` correct it, that is enough for most of the cases.
    """
    context.check()
    scene = scene_of(source)
    anchors, worth = _anchors(scene, tried, looks), _worth(scene)
    near = _first_of_each(_search(_slower(scene, share - NEARLY), anchors))
    near = [one for one in near if worth(one) < most][:MOST_MAKES]
    found: list[Candidate] = []
    for part in range(STEPS + 1) if near else ():
        context.check()
        cases = share - NEARLY * part / STEPS
        new = _first_of_each([*found, *_search(_slower(scene, cases), anchors, near)])[len(found) :]
        sized = (_sized(one.fleet, scene, anchors, cases) for one in new if worth(one) < most)
        found += (one for one in sized if one is not None and worth(one) < most)
    return sorted(found, key=worth)


def _anchors(scene: Scene, tried: Sequence[Candidate], looks: Sequence[Look]) -> Anchors:
    seen = (scene.rate, tried), *((look.rate, (look.candidate,)) for look in looks)
    return dict(merged(pair for rate, some in seen for pair in by_replica(some, scene.question, rate).items()))


def _worth(scene: Scene) -> Worth:
    return worth_of(scene.question.objective, scene.question.host_power)


def _slower(scene: Scene, share: float) -> Scene:
    """Return a scene whose steps take as long as in a share of the cases none takes longer than."""
    return replace(scene, profiles=tuple(as_slow(one, share) for one in scene.profiles))


def _search(scene: Scene, anchors: Anchors, near: Sequence[Candidate] = ()) -> list[Candidate]:
    """Return the fleets of several pools that hold by formula, best first, or those of two that divide near others."""
    asked, alike = scene.question, scene.profiles
    if near:
        kinds = {pool.replica_key for one in near for pool in one.fleet.pools}
        alike = tuple(one for one in alike if one.replica_key in kinds)
        asked = replace(asked, pools=(2,), splits=tuple(sorted({*between(scene, near, REACH)})))
    found = answer_case(asked, scene.case, alike, scene.context, anchors=anchors).candidates
    return [one for one in found if len(one.fleet.pools) > 1 and not one.shortfalls]


def _first_of_each(found: Iterable[Candidate]) -> list[Candidate]:
    """Return the first fleet of each replicas, whatever their numbers and where they divide."""
    first: dict[object, Candidate] = {}
    for one in found:
        first.setdefault((one.fleet.gamma, *(pool.replica_key for pool in one.fleet.pools)), one)
    return list(first.values())


def _sized(slower: Fleet, scene: Scene, anchors: Anchors, share: float) -> Candidate | None:
    """Return a fleet that was found with other steps, as large as a share of the cases asks for; None where none is."""
    sketch = FleetSketch.of(slower)
    pools = tuple(sketch_of(pool, pool.replicas, given=False) for pool in slower.pools)
    try:
        fleet = scene.stage(replace(sketch, pools=pools))[0].candidate.fleet
    except InputError:  # what a pool would serve may not fit its replicas
        return None
    sizes = confidence.sized(scene, fleet, confidence.known_by(anchors)(fleet), share)
    return None if sizes is None else scene.resize(fleet, sizes)[0].candidate
