"""The tasks of power: fleets under caps, on their GPUs' clocks or on their batches, and at other loads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.anchor import Anchor
from fleettui.domain.fleet import Fleet, FleetSketch
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import TPOT, TTFT, Latency
from fleettui.domain.meter import output_rate
from fleettui.domain.plan import Candidate
from fleettui.domain.power_law import PowerLaw
from fleettui.domain.power_levels import CapChoice, CapKind, CappedFleet, EnergyPoint, PowerLevel
from fleettui.domain.replica import ReplicaKey
from fleettui.errors import InputError
from fleettui.hardware.power_cap import capped
from fleettui.optimize.plan import find_plan
from fleettui.optimize.resize import alike, sketch_of
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import Scene, scene_of


def levels(
    context: Context, *, source: SceneSource, fleet: Fleet, kind: CapKind, shares: tuple[float, ...]
) -> tuple[PowerLevel, ...]:
    """Return what the formulas say of `fleet` under a cap of that kind at each of `shares`, as far as GPUs go so low.

    Raises InputError for a fleet whose engines' times were written down, and for hardware that draws by a curve.
    """
    scene = scene_of(source)
    _check(scene, fleet)
    found = []
    for share in shares:
        context.check()
        if kind == "clock" and not all(law.idle < share * law.limit for law in map(law_of, _profiles(scene, fleet))):
            break
        found.append(_level(scene, fleet, kind, share))
    return tuple(found)


def fleet(context: Context, *, source: SceneSource, fleet: Fleet, share: float) -> CappedFleet:
    """Return `fleet` with each GPU capped at a share of its limit, and the hardware that this makes of them."""
    context.check()
    under = _capped(scene_of(source), fleet, share)
    return CappedFleet(fleet=_scored(under, fleet, 1.0).fleet, profiles=under.profiles)


def energy(
    context: Context, *, source: SceneSource, fleets: tuple[Fleet, ...], shares: tuple[float, ...]
) -> tuple[EnergyPoint, ...]:
    """Return what each of `fleets` draws and gives at each of these shares of the plan's rate that it keeps up with."""
    scene, found = scene_of(source), []
    for one in fleets:
        list(map(law_of, _profiles(scene, one)))  # refused where it draws by a curve
        for share in shares:
            context.check()
            at = replace(scene, rate=scene.rate * share)
            candidate = at.resize(one, [pool.replicas for pool in one.pools], ranged=False)[0].candidate
            if candidate.busiest.utilization < 1.0:
                found.append(
                    EnergyPoint(
                        fleet=one,
                        share=share,
                        rate=at.rate,
                        watts=candidate.power,
                        output_rate=output_rate(candidate) or 0.0,
                        utilization=candidate.busiest.utilization,
                        cost=candidate.cost_per_hour,
                    )
                )
    return tuple(found)


def caps(
    context: Context,
    *,
    source: SceneSource,
    anchors: tuple[tuple[ReplicaKey, Anchor], ...],
    shares: tuple[float, ...],
) -> tuple[CapChoice, ...]:
    """Return the cheapest fleet at each of `shares` of its GPUs' limit that has one whose GPUs have one limit.

    The scene's profiles are those that are searched; `anchors` is what was simulated of replicas of a kind.
    """
    scene, found = scene_of(source), []
    for done, share in enumerate(shares):
        context.check()
        context.progress("searching fleets under caps", done, len(shares))
        choice = _at(scene, share, dict(anchors))
        if choice is not None:
            found.append(choice)
    return tuple(found)


def _level(scene: Scene, fleet: Fleet, kind: CapKind, share: float) -> PowerLevel:
    under = _capped(scene, fleet, share) if kind == "clock" else scene
    found = _scored(under, fleet, 1.0 if kind == "clock" else share)
    laws = [law_of(one) for one in _profiles(under, fleet)]
    limits = scene.question.slo.limits()
    return PowerLevel(
        kind=kind,
        share=share,
        sequences=None if kind == "clock" else max(pool.concurrency for pool in found.fleet.pools),
        watts=found.power,
        nominal=math.fsum(law.limit * pool.gpus for law, pool in zip(laws, fleet.pools, strict=True)),
        ttft=_worst(found, TTFT.latency),
        tpot=_worst(found, TPOT.latency),
        latencies=tuple(_worst(found, limit) for limit in limits),
        utilization=found.busiest.utilization,
        output_rate=output_rate(found) or 0.0,
        extrapolated=any(law.extrapolated for law in laws),
    )


def _worst(candidate: Candidate, latency: Latency) -> float | None:
    most = max(pool.at(latency) for pool in candidate.pools)
    return most if math.isfinite(most) else None


def _scored(scene: Scene, fleet: Fleet, batch: float) -> Candidate:
    """Return a fleet as the hardware of a scene serves it, with a part of the sequences that it runs at once."""
    pools = []
    for pool in fleet.pools:
        sketch = replace(sketch_of(pool, pool.replicas, given=False), spares=pool.spares)
        fewer = max(1, math.floor(pool.concurrency * batch))
        pools.append(sketch if batch == 1.0 else replace(sketch, max_num_seqs=fewer))
    asked = FleetSketch(
        router=fleet.router,
        router_refresh=fleet.router_refresh,
        gamma=fleet.gamma,
        compressible=fleet.compressible,
        admission=fleet.admission,
        pools=tuple(pools),
    )
    return scene.stage(asked)[0].candidate


def _capped(scene: Scene, fleet: Fleet, share: float) -> Scene:
    """Return the scene with the hardware of a fleet capped at a share of its limit, all of it at 1."""
    if share == 1.0:
        return scene
    own = {one.name: one for one in _profiles(scene, fleet)}.values()
    return replace(scene, profiles=tuple(capped(one, share * law_of(one).limit) for one in own))


def _profiles(scene: Scene, fleet: Fleet) -> Sequence[Profile]:
    return [scene.profile_of(pool) for pool in fleet.pools]


def law_of(profile: Profile) -> PowerLaw:
    """Return the law of what a profile draws; raises InputError for one that draws by a curve."""
    law = profile.power
    if not isinstance(law, PowerLaw):
        raise InputError(
            "it was kept when GPUs drew by their batch alone, which says nothing of caps and of loads",
            where=profile.name,
            remedy="plan the question again: fleettui plan",
        )
    return law


def _check(scene: Scene, fleet: Fleet) -> None:
    """Raise InputError unless the steps of a fleet are those of its hardware, which a cap slows."""
    own = _scored(scene, fleet, 1.0).fleet
    for pool, modelled in zip(fleet.pools, own.pools, strict=True):
        if not alike(modelled.profile, modelled.concurrency, pool):
            raise InputError(
                "its engine's times were written down, and do not say what of them a slower clock makes longer",
                where=f"pool {pool.name}",
                remedy="leave out its profile, and simulate it again",
            )


def _at(scene: Scene, share: float, anchors: dict[ReplicaKey, Anchor]) -> CapChoice | None:
    """Return the cheapest fleet with all GPUs at a share of their limits, None where none holds or all idle above."""
    profiles = [
        capped(one, round(share * law.limit, 6))
        for one in scene.profiles
        if isinstance(law := one.power, PowerLaw) and law.idle < share * law.limit
    ]
    if not profiles:
        return None
    question = scene.question
    answer = find_plan(
        question,
        slices=scene.case.at(scene.rate),
        profiles=profiles,
        grid=question.splits or scene.case.grid(),
        context=scene.context,
        anchors=anchors,
    )
    holding = (one for one in answer.candidates if not one.shortfalls)
    alike = ((one, _caps(one, profiles)) for one in ([answer.answer] if answer.answer else []) + [*holding])
    return next(
        (CapChoice(share=share, watts=next(iter(own)), candidate=one) for one, own in alike if len(own) == 1), None
    )


def _caps(candidate: Candidate, profiles: Sequence[Profile]) -> set[float]:
    """Return the caps of a fleet's GPUs, in watts."""
    keys = {pool.replica_key for pool in candidate.fleet.pools}
    return {
        one.power.cap.watts
        for one in profiles
        if one.replica_key in keys and isinstance(one.power, PowerLaw) and one.power.cap
    }
