"""The tasks `confidence...`: how sure a fleet is, up to which rate, and which is as sure as wished."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from fleettui.domain.anchor import NOTHING_SEEN, Anchor
from fleettui.domain.confidence import Confidence
from fleettui.domain.fleet import Fleet
from fleettui.domain.seen_fleets import SeenFleet
from fleettui.domain.uncertain import slower_than
from fleettui.errors import InputError
from fleettui.optimize import cases, confidence
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.held_fleet import HeldFleet
from fleettui.optimize.offers import Anchors
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import Scene, scene_of
from fleettui.planning.tasks.task_cache import Recent

Known = Callable[[Fleet], tuple[Anchor, ...]]
"""Says what simulations showed of each pool of a fleet."""
Size = Callable[[Scene, Fleet, Sequence[Anchor], float], tuple[int, ...] | None]
"""Sizes a fleet in a scene, its pools' anchors known, for a share of the cases, as `sized` does."""
KEPT = 1024
"""Sizes of fleets that are remembered at most."""
_recent = Recent[tuple[int, ...] | None](KEPT)


def run(
    context: Context,
    *,
    source: SceneSource,
    fleet: Fleet,
    anchors: tuple[Anchor, ...],
    shown: tuple[int, ...] | None = None,
) -> Confidence:
    """Return how sure it is that `fleet` holds the source's rate; `anchors` are what was simulated of its pools.

    `shown` are the replicas that suffice in LIKELY of the cases where simulations say so. Raises InputError where the
    formulas cannot size such a fleet.
    """
    context.check()
    return of_fleet(scene_of(source), fleet, anchors, shown)


def lasts(
    context: Context,
    *,
    source: SceneSource,
    fleet: Fleet,
    anchors: tuple[Anchor, ...],
    sizes: tuple[int, ...],
    share: float,
) -> tuple[float, tuple[float, ...]]:
    """Return until which rate in requests/s the shape of `fleet` lasts at these sizes in a share of the step times.

    Beside it are the rates that load its pools as much at the step times predicted.
    """
    from fleettui.optimize import steps

    context.check()
    return steps.lasts_under(shape_of(scene_of(source), fleet, anchors).at_end(slower_than(share)), sizes)


def surest(
    context: Context,
    *,
    source: SceneSource,
    fleet: Fleet,
    anchors: tuple[Anchor, ...],
    sizes: tuple[int, ...],
    share: float,
) -> float:
    """Return the greatest rate in requests/s that the shape of `fleet` holds at these sizes in a share of the cases.

    They are over the error of its step times and over what was typed as a range, which has its middle at that rate.
    """
    from fleettui.optimize import steps

    context.check()
    held = held_of(scene_of(source), fleet, anchors)
    near = steps.lasts(held.planned.at_end(slower_than(share)), sizes)
    return cases.lasts(held, sizes, near, share) if near and held.question.ranges else near


def sizes(
    context: Context,
    *,
    source: SceneSource,
    fleets: tuple[Fleet, ...],
    anchors: tuple[tuple[Anchor, ...], ...],
    share: float,
) -> list[tuple[int, ...] | None]:
    """Return of each fleet the replicas that suffice in a share of the cases.

    None where no size does, or where the formulas cannot size such a fleet.
    """
    scene, found = scene_of(source), []
    for fleet, known in zip(fleets, anchors, strict=True):
        context.check()
        found.append(sized(scene, fleet, known, share))
    return found


def of_fleet(scene: Scene, fleet: Fleet, anchors: Sequence[Anchor], shown: tuple[int, ...] | None = None) -> Confidence:
    """Return how sure it is that `fleet` holds the scene's rate; raises InputError where it cannot be sized."""
    return confidence.confidence_of(held_of(scene, fleet, anchors), scene.rate, shown)


def sized(scene: Scene, fleet: Fleet, anchors: Sequence[Anchor], share: float) -> tuple[int, ...] | None:
    """Return the replicas of each pool of a fleet that suffice in a share of the cases, None where none do."""
    try:
        return confidence.sizes_for(held_of(scene, fleet, anchors), scene.rate, share)
    except InputError:
        return None


def remembered(key: str) -> Size:
    """Return what sizes a fleet as `sized` does, in the scene with this key once by what is known of its pools."""

    def size(scene: Scene, fleet: Fleet, anchors: Sequence[Anchor], share: float) -> tuple[int, ...] | None:
        return _recent.get(repr((key, fleet, anchors, share)), partial(sized, scene, fleet, anchors, share))

    return size


def known_by(anchors: Anchors, own: SeenFleet | None = None) -> Known:
    """Return what says what is known of each pool of a fleet: by what it runs on, and more of one like `own`."""

    def known(fleet: Fleet) -> tuple[Anchor, ...]:
        if own is not None and own.is_like(fleet):
            return own.anchors
        return tuple(anchors.get(pool.replica_key, NOTHING_SEEN) for pool in fleet.pools)

    return known


def held_of(scene: Scene, fleet: Fleet, anchors: Sequence[Anchor]) -> HeldFleet:
    """Return a fleet whose inputs may move in a scene; raises InputError where it cannot be sized."""
    profiles = [scene.profile_of(pool) for pool in fleet.pools]
    return HeldFleet.of(fleet, scene.question, profiles, scene.case.at(1.0), anchors)


def shape_of(scene: Scene, fleet: Fleet, anchors: Sequence[Anchor]) -> Shape:
    """Return the shape of a fleet in a scene; raises InputError where it cannot be sized."""
    profiles = [scene.profile_of(pool) for pool in fleet.pools]
    return Shape.of(fleet, scene.question, profiles, scene.case.at(1.0), anchors=anchors)
