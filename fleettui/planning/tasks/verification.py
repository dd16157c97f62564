"""The tasks of a verification: stage a fleet, run one replication of it, judge those that are there."""

from __future__ import annotations

from typing import Any

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.serialization import dumps, encode, from_plain, to_plain, to_wire
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.optimize import explain
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.terms import Terms
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import KEPT, Scene, scene_of
from fleettui.planning.tasks.task_cache import Recent
from fleettui.simulation import lengths, run, statistics

_recent = Recent[tuple[Fleet, ScoredFleet, tuple[Profile, ...]]](KEPT)


def stage(payload: dict[str, Any], context: Context) -> dict[str, Any]:
    """Score `fleet` at the sizes `replicas` and say how long it must be simulated.

    Returns `candidate`, the `lengths` of a replication and of a short `look`, each pool's `utilization`, and why no
    length would do (`unstable`, empty where one does). A closed loop drives each fleet at its own rate (`demand`).
    `warnings` are what a reader should know of the fleet itself.
    """
    scene = scene_of(payload)
    context.check()
    fleet = from_plain(Fleet, payload["fleet"])
    demand = None
    if scene.question.demand.form == "concurrency":
        scene, demand = scene.driven(fleet, payload["replicas"])
    fixed, profiles = scene.resize(fleet, payload["replicas"])
    found = lengths.lengths(fixed.candidate.fleet, fixed.traffic)
    return {
        "candidate": to_wire(fixed.candidate),
        "lengths": to_plain(found.pools),
        "look": to_plain(lengths.look(found.pools)),
        "utilization": to_plain(found.utilization),
        "unstable": found.unstable,
        "demand": to_plain(demand),
        "spares": explain.surplus(fixed.candidate, scene.question, profiles),
        "warnings": explain.warnings(fixed.candidate, Terms.of(scene.question)),
    }


def replicate(payload: dict[str, Any], context: Context) -> dict[str, Any]:
    """Run replication `index` of `fleet` under the root `seed` for `lengths`; returns `replication`, as text."""
    scene = scene_of(payload)
    made_ready(context)
    context.check()
    fleet, fixed, profiles = _recent.get(
        f"{payload['scene']} {dumps(payload['fleet'])}", lambda: _staged(payload, scene)
    )
    found = run.replicate(
        fleet,
        fixed.traffic,
        from_plain(tuple[PoolLength, ...], payload["lengths"]),
        profiles=profiles,
        slo=scene.question.slo,
        seed=payload["seed"],
        index=payload["index"],
    )
    return {"replication": encode(Replication, found)}


def judge(payload: dict[str, Any], context: Context) -> dict[str, Any]:
    """Judge `replications` of a fleet; returns its `evidence` and how many there should be in all (`wanted`).

    With `look` there is one, a short one: it condemns the fleet (no more are wanted), or it says nothing.
    """
    context.check()
    scene = scene_of(payload)
    found = from_plain(tuple[Replication, ...], payload["replications"])
    limits = Terms.of(scene.question).limits
    settings: dict[str, Any] = {"precision": payload["precision"], "unstable": payload["unstable"]}
    if payload["look"] and not statistics.hopeless(found[0], limits):
        return {"evidence": None, "wanted": statistics.wanted((), limits, **settings)}
    evidence = statistics.judge(found, limits, seed=payload["seed"], **settings)
    wanted = 0 if payload["look"] else statistics.wanted(found, limits, **settings)
    return {"evidence": to_plain(evidence), "wanted": wanted}


def _staged(payload: dict[str, Any], scene: Scene) -> tuple[Fleet, ScoredFleet, tuple[Profile, ...]]:
    """Return the fleet that is to be run with its traffic and hardware, the same for every replication of it."""
    fleet = from_plain(Fleet, payload["fleet"])
    return fleet, *scene.resize(fleet, [pool.replicas for pool in fleet.pools])


def made_ready(context: Context) -> None:
    """Make the engine ready, once in this process."""
    if not run.ready():
        if not run.compiled_before():
            context.progress("compiling the simulation, once")
        run.compile_now()
