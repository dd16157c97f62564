"""The tasks of a verification: stage a fleet, run one replication of it, judge those that are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fleettui.domain.failing import SlowReplica
from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import Evidence
from fleettui.domain.serialization import dumps
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.domain.size_curve import SizeCurve
from fleettui.optimize import explain, fit_words
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.terms import Terms
from fleettui.planning.prepared_fleet import PreparedFleet, SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import KEPT, scene_of
from fleettui.planning.tasks.task_cache import Recent
from fleettui.simulation import lengths as run_lengths
from fleettui.simulation import run, statistics

_recent = Recent[tuple[ScoredFleet, tuple[Profile, ...]]](KEPT)


def stage(context: Context, *, source: SceneSource, fleet: Fleet, sizes: tuple[int, ...]) -> PreparedFleet:
    """Score `fleet` at these sizes and say how long it must be simulated; a closed loop drives each at its own rate."""
    scene, demand = scene_of(source), None
    context.check()
    if scene.question.demand.form == "concurrency":
        scene, demand = scene.driven(fleet, sizes)
    fixed, profiles = scene.resize(fleet, sizes)
    if demand is None:  # its replications come next
        _recent.get(_key(source, fixed.candidate.fleet), lambda: (fixed, profiles))
    found = run_lengths.lengths(fixed.candidate.fleet, fixed.traffic)
    return PreparedFleet(
        candidate=fixed.candidate,
        lengths=found.pools,
        look=run_lengths.look(found.pools),
        utilization=found.utilization,
        unstable=found.unstable,
        demand=demand,
        reasons=explain.of_fleet(fixed.candidate, scene.question, profiles),
        warnings=(
            *explain.warnings(fixed.candidate, scene.question, profiles),
            *fit_words.beyond(fixed.candidate, scene.question, fixed.traffic),
        ),
    )


def curves(context: Context, *, source: SceneSource, fleets: tuple[Fleet, ...]) -> list[tuple[SizeCurve, ...]]:
    """Return what the formulas say of each pool of `fleets`, which a search found, at other sizes."""
    context.check()
    return scene_of(source).curves(fleets)


def replicate(
    context: Context,
    *,
    source: SceneSource,
    fleet: Fleet,
    lengths: tuple[PoolLength, ...],
    seed: int,
    index: int,
    together: bool = False,
    slow: float | None = None,
    bare: bool = False,
) -> Replication:
    """Run replication `index` of `fleet` under the root `seed` for `lengths`.

    Its pools are run `together` even where they do not meet. One replica of each is at a share `slow` of its speed. A
    `bare` one is without histograms: it is judged, and not kept.
    """
    scene = scene_of(source)
    make_ready(context.progress)
    context.check()
    sizes = [pool.replicas for pool in fleet.pools]
    fixed, profiles = _recent.get(_key(source, fleet), lambda: scene.resize(fleet, sizes, ranged=False))
    found = run.replicate(
        fleet,
        fixed.traffic if slow is None else replace(fixed.traffic, slow=SlowReplica(speed=slow)),
        lengths,
        profiles=profiles,
        slo=scene.question.slo,
        seed=seed,
        index=index,
        together=together,
    )
    return found.bare if bare else found


def judge(
    context: Context,
    *,
    source: SceneSource,
    replications: tuple[Replication, ...],
    precision: float,
    seed: int,
    unstable: str,
    look: bool,
    brief: bool,
) -> tuple[Evidence | None, int]:
    """Judge `replications` of a fleet: their evidence, and how many there should be in all.

    With `look` there is one, a short one: it condemns the fleet (no more are wanted), or it says nothing. A `brief`
    proof wants few where a latency lingers at its limit.
    """
    context.check()
    limits = Terms.of(scene_of(source).question).limits
    if look and not statistics.hopeless(replications[0], limits):
        return None, statistics.wanted((), limits, precision=precision, unstable=unstable)
    evidence = statistics.judge(replications, limits, seed=seed, precision=precision, unstable=unstable)
    if look:
        return evidence, 0
    return evidence, statistics.wanted(replications, limits, precision=precision, unstable=unstable, brief=brief)


def make_ready(tell: Callable[[str], None]) -> None:
    """Make the engine ready, once in this process; `tell` is told where that takes long."""
    if not run.ready():
        if not run.compiled_before():
            tell("compiling the simulation, once on this machine: some 20 s")
        run.compile_now()


def _key(source: SceneSource, fleet: Fleet) -> str:
    return f"{source.key} {dumps(fleet)}"
