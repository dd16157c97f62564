"""The tasks of a study of failures: what runs with an outage come to, and how often replicas are down."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from fleettui.domain.autoscale import Delay
from fleettui.domain.day import steady
from fleettui.domain.failing import NODE_DOWN, AsTheyCome, Case, FailingRun, Odds, Outage, PoolCount
from fleettui.domain.failures import Failures
from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.stretch import Change, PoolStretch
from fleettui.hardware import catalog
from fleettui.hardware.weights import weights_of
from fleettui.optimize import spares as standing
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.autoscale import day_draws
from fleettui.planning.tasks.ready_pool import ready_pool
from fleettui.planning.tasks.simulation_inputs import Scene, scene_of
from fleettui.queueing.availability import Group, availability
from fleettui.simulation import failing, stretch
from fleettui.simulation.failing import Unit
from fleettui.simulation.outage_figures import as_they_come, outage_figures

DAYS, DAY = 365.0, 86_400.0
FAILING = 1_000
"""Tells the stream of failures of a run from those of its requests."""


def cases(
    context: Context,
    *,
    source: SceneSource,
    fleet: Fleet,
    spares: tuple[int, ...],
    failures: Failures,
    down: float,
    at_once: float | None,
    slow: float | None,
) -> tuple[Case, ...]:
    """Return what may be down of `fleet`, whose pools hold so many `spares`: nothing, some, what fails as one.

    Replicas up to one more than the spares; a node and a rack, where several replicas go with it; a share `at_once`.
    What fails is of one pool, and pools share no node: only a share at once is of each pool. Last, where nothing is
    down, one of each pool that is `slow`.
    """
    context.check()
    scene, held = scene_of(source), [pool.replicas for pool in fleet.pools]
    groups, found = _groups(scene, fleet, spares, failures, down), [Case(name="none down", down=(0,) * len(held))]
    for place, (pool, group) in enumerate(zip(fleet.pools, groups, strict=True)):
        in_rack = 0 if scene.question.rack is None else min(max(group.in_rack, 1) * group.replicas, pool.replicas)
        for name, count, node in _of_pool(pool.name if len(held) > 1 else "", spares[place], group.replicas, in_rack):
            counts = tuple(min(count, size) if at == place else 0 for at, size in enumerate(held))
            found.append(Case(name=name, down=counts, node=node))
    once: dict[tuple[int, ...], Case] = {}
    for one in found:
        once.setdefault(one.down, one)
    if at_once is not None:
        counts, name = tuple(math.ceil(at_once * one) for one in held), f"{100.0 * at_once:.4g}% at once"
        same = once.get(counts)
        once[counts] = Case(name=name, down=counts) if same is None else replace(same, name=f"{same.name}, {name}")
    down_ones = sorted(once.values(), key=lambda one: sum(one.down))
    crawling = () if slow is None else (replace(found[0], name=f"1 at {100.0 * slow:.4g}% speed", slow=slow),)
    return (*down_ones, *crawling)


def _of_pool(pool: str, spares: int, on_node: int, in_rack: int) -> Iterator[tuple[str, int, bool]]:
    """Yield what a case of a pool is called, the replicas that are down in it, and whether they are a node's.

    What goes down as one is first, under its own name. `pool` is empty where it is the fleet's only one, of which two
    are looked at even without spares.
    """
    if on_node > 1:
        yield (f"{pool}'s node" if pool else NODE_DOWN), on_node, True
    if in_rack > 1:
        yield (f"{pool}'s rack" if pool else "a rack down"), in_rack, False
    counts = {1, spares, spares + 1} - {0} if pool else {1, max(spares, 1), max(spares, 1) + 1}
    for count in sorted(counts):
        yield (f"{count} of {pool}" if pool else f"{count} down"), count, False


def _groups(scene: Scene, fleet: Fleet, spares: Sequence[int], failures: Failures, down: float) -> list[Group]:
    """Return the replicas of each pool that fail together, each of which is out for `down` seconds."""
    asked, found = replace(scene.question, availability=None, failures=failures, repair=down), []
    for pool, spare in zip(fleet.pools, spares, strict=True):
        group = standing.group_of(scene.profile_of(pool), asked)
        assert group is not None, "failures are said"
        found.append(replace(group, replicas=_together(scene, pool, spare, group.replicas)))
    return found


def _together(scene: Scene, pool: Pool, spares: int, fit: int) -> int:
    """Return the replicas on what fails as one where so many `fit`: fewer where the plan spreads them over nodes."""
    placed = standing.placed(pool.replicas - spares, pool.replicas, scene.profile_of(pool), scene.question)
    return fit if placed is None or standing.failing(scene.question) == "gpu" else min(fit, placed.replicas)


def load(context: Context, *, fleet: Fleet, delay: Delay) -> float:
    """Return the seconds until a replica serves whose hardware is up again, those of the slowest pool."""
    context.check()
    weights = [weights_of(catalog.gpu(pool.gpu), catalog.model(pool.model), pool.dtype).held for pool in fleet.pools]
    return max(map(delay.seconds, weights))


def judge(
    context: Context, *, cases: tuple[tuple[tuple[PoolStretch, ...], ...], ...], share: float, step: float
) -> tuple[Outage, ...]:
    """Return the figures of each of the `cases`, run by run beside the first, which met the same requests."""
    context.check()
    return tuple(outage_figures(own, cases[0], share=share, step=step) for own in cases)


def play(
    context: Context,
    *,
    source: SceneSource,
    fleet: Fleet,
    place: int,
    spares: int,
    failures: Failures,
    repair: float,
    load: float,
    seconds: float,
    warm: float,
    seed: int,
    index: int,
) -> FailingRun:
    """Play run `index` of the fleet's `place`-th pool, so many of it `spares`, with hardware that fails at random.

    The same requests are played without a failure, too.
    """
    ready, pool = ready_pool(source, fleet, place, context), fleet.pools[place]
    end, scene = warm + seconds, scene_of(source)
    draws = day_draws(ready.traffic, place, steady(ready.rate, end + warm / 2.0), seed=seed, index=index)
    on = _units(scene, pool, spares, failures, repair=repair, load=load)
    chance = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index, place, FAILING)))
    found = failing.changes(on, pool.replicas, chance, end)

    def counted(changes: Sequence[Change]) -> PoolCount:
        played = stretch.play(ready.engine, draws, pool.replicas, changes)
        return stretch.counted(played, warm=warm, end=seconds, slo=ready.slo, front_end=pool.profile.front_end)

    without = counted(())
    counts = [pool.replicas, *(one.serving for one in found)]
    return FailingRun(
        count=counted(found) if found else without,
        without=without,
        failures=sum(after < before for before, after in pairwise(counts)),
        full=failing.share_with(found, pool.replicas, pool.replicas, warm, end),
    )


def _units(scene: Scene, pool: Pool, spares: int, failures: Failures, *, repair: float, load: float) -> list[Unit]:
    """Return the nodes or GPUs that a pool's replicas stand on, and the racks that these stand in."""
    profile, rack = scene.profile_of(pool), scene.question.rack
    own = profile.gpus_per_node if failures.of == "node" else 1
    between, on_one = DAY / failures.per_day, _together(scene, pool, spares, own // pool.gpus_per_replica)

    def of(ones: int, between: float) -> list[Unit]:
        gpus = own * ones
        together = on_one * ones if on_one else max(gpus // pool.gpus_per_replica, 1)
        each = math.ceil(pool.gpus_per_replica / gpus)
        return failing.units(pool.replicas, together=together, each=each, between=between, repair=repair, load=load)

    found = of(1, between)
    if rack is not None:
        found += of(rack.nodes, (repair + load) * rack.up / (1.0 - rack.up))
    return found


def come(context: Context, *, runs: tuple[tuple[FailingRun, ...], ...], seconds: float, expected: float) -> AsTheyCome:
    """Return what runs of every pool come to; `expected` is the share of the time with none down, by the formula."""
    context.check()
    return as_they_come(runs, seconds, expected)


def odds(
    context: Context,
    *,
    source: SceneSource,
    fleet: Fleet,
    spares: tuple[int, ...],
    cases: tuple[Case, ...],
    failures: Failures,
    down: float,
) -> Odds:
    """Return how often no more replicas of `fleet`, so many of each pool `spares`, are down than in each case.

    Each failure takes its node or GPU out for `down` seconds on average, with racks as the question has them. Failures
    of several pools are independent.
    """
    context.check()
    scene = scene_of(source)
    groups, per_year, racks, rack = _groups(scene, fleet, spares, failures, down), [], [], scene.question.rack
    yearly = DAYS * failures.per_day * availability(failures.per_day, down)  # what is down does not fail
    for pool, group in zip(fleet.pools, groups, strict=True):
        together = scene.profile_of(pool).gpus_per_node if failures.of == "node" else 1
        wide = pool.gpus_per_replica > together
        units = math.ceil(pool.replicas * pool.gpus_per_replica / together if wide else pool.replicas / group.replicas)
        per_year.append(yearly * units)
        if rack is not None:
            racks.append(DAYS * DAY * (1.0 - rack.up) / down * math.ceil(units / rack.nodes))

    def no_more(counts: Sequence[int]) -> list[float]:
        parts = zip(groups, fleet.pools, counts, strict=True)
        return [_no_more(group, pool.replicas, lost) for group, pool, lost in parts]

    shares = tuple(
        math.prod(no_more(case.down)) if case.place is None else no_more(case.down)[case.place] for case in cases
    )
    return Odds(no_more=shares, all_up=tuple(no_more([0] * len(groups))), per_year=tuple(per_year), racks=tuple(racks))


def _no_more(group: Group, held: int, down: int) -> float:
    return 1.0 if down >= held else group.all_up(held - down, held)
