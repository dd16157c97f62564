"""The task `divisions`: the GPUs of a given fleet in other replicas, in one pool, or in pools of other lengths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from fleettui.domain.backtest import Constant, Corrected
from fleettui.domain.fleet import Fleet, FleetSketch, Pool, PoolSketch
from fleettui.domain.plan import Candidate
from fleettui.errors import InputError
from fleettui.hardware.fit import TENSOR_PARALLEL
from fleettui.optimize.resize import alike, sketch_of
from fleettui.optimize.spares import has_spares
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.backtest import correct, moved_profile
from fleettui.planning.tasks.finer_splits import strain
from fleettui.planning.tasks.simulation_inputs import Scene, scene_of

SPLITS = 2
"""Other lengths at most at which two pools are divided: the formulas' best, of which one is hardly missed."""


def run(context: Context, *, source: SceneSource, fleet: Fleet) -> list[Candidate]:
    """Return what the formulas say of all other fleets into which the GPUs of one may be divided.

    Replicas of each GPU type are of another tensor parallelism, those of one type are one pool, or two pools divide at
    the SPLITS other lengths that keep their limits best; some GPUs may be left.
    None where replicas stand by, or where an engine is not as the catalogue or a fit would have it: nobody knows what
    others would be.
    """
    context.check()
    scene = scene_of(source)
    if _unknown(scene, fleet):
        return []
    found = (_scored(scene, sketch) for sketch in _divided(scene, fleet))
    return [*(one for one in found if one is not None), *_split_otherwise(scene, fleet)]


def unknown(context: Context, *, source: SceneSource, fleet: Fleet) -> str:
    """Return why nobody knows what other divisions would be, empty where `run` looked for them."""
    context.check()
    return _unknown(scene_of(source), fleet)


def corrected(context: Context, *, source: SceneSource, fleet: Fleet, constant: Constant, factor: float) -> Corrected:
    """Return a fleet with one `constant` of its steps multiplied by `factor`, and its hardware with that of the others.

    Its engine is as the hardware then has it, so that `run` finds as many as without; as the constant makes it where
    there are no others.
    """
    scene, found = scene_of(source), run(context, source=source, fleet=fleet)
    moved = correct(context, source=source, fleet=fleet, constant=constant, factor=factor)
    pools = (pair for one in found for pair in zip(one.fleet.pools, one.pools, strict=True))
    busy = {pool.replica_key: (scene.profile_of(pool), figures.batch) for pool, figures in pools}
    given = {one.replica_key for one in moved.profiles}
    others = (moved_profile(own, constant, factor, batch) for key, (own, batch) in busy.items() if key not in given)
    known = replace(scene, profiles=(*moved.profiles, *others))
    return Corrected(fleet=_modelled(known, fleet) if found else moved.fleet, profiles=known.profiles)


def _unknown(scene: Scene, fleet: Fleet) -> str:
    if any(pool.spares for pool in fleet.pools) or has_spares(scene.question):
        return "replicas stand by"
    if any(pool.layout for pool in fleet.pools):
        return "its experts are laid out for these"
    return "" if _is_modelled(scene, fleet) else "its engine is one's own"


def _is_modelled(scene: Scene, fleet: Fleet) -> bool:
    """Return whether every engine of a fleet is the one that its hardware is modelled to have."""
    try:
        modelled = _modelled(scene, fleet)
    except InputError:
        return False
    return all(alike(one.profile, one.concurrency, own) for one, own in zip(modelled.pools, fleet.pools, strict=True))


def _modelled(scene: Scene, fleet: Fleet) -> Fleet:
    sketch = _with(fleet, [sketch_of(pool, pool.replicas, given=False) for pool in fleet.pools])
    return scene.stage(sketch)[0].candidate.fleet


def _divided(scene: Scene, fleet: Fleet) -> Iterator[FleetSketch]:
    """Yield the fleets of other replicas in the same pools, then those of one pool, of all GPUs of a type."""
    gpus = list(fleet.gpus_by_type)
    for sizes in product(TENSOR_PARALLEL, repeat=len(gpus)):
        by_type = dict(zip(gpus, sizes, strict=True))
        if all(pool.tp == by_type[pool.gpu] for pool in fleet.pools):
            continue
        pools = [_of(scene, pool, by_type[pool.gpu], pool.gpus) for pool in fleet.pools]
        if None not in pools:
            yield _with(fleet, [pool for pool in pools if pool is not None])
    if len(fleet.pools) > 1 and fleet.gamma == 1.0:
        yield from _in_one_pool(scene, fleet)


def _in_one_pool(scene: Scene, fleet: Fleet) -> Iterator[FleetSketch]:
    """Yield the fleets of one pool, which serves all lengths, of all GPUs of one type."""
    longest = fleet.pools[-1]
    for gpu, count in fleet.gpus_by_type.items():
        last = next(pool for pool in reversed(fleet.pools) if pool.gpu == gpu)
        for tp in TENSOR_PARALLEL:
            whole = _of(scene, last, tp, count)
            if whole is not None:
                yield _with(fleet, [replace(whole, above=0, up_to=longest.up_to, context=longest.context)])


def _split_otherwise(scene: Scene, fleet: Fleet) -> list[Candidate]:
    """Return the fleets of the same two pools that divide at another length of the grid, the SPLITS best of them."""
    if len(fleet.pools) != 2 or fleet.router != "length" or fleet.gamma != 1.0:
        return []
    lengths = [one for one in scene.case.grid() if one != fleet.pools[0].up_to and one < fleet.pools[1].up_to]
    found = (_scored(scene, _split_at(fleet, length)) for length in lengths)
    return sorted((one for one in found if one is not None), key=lambda one: strain(one, scene))[:SPLITS]


def _split_at(fleet: Fleet, length: int) -> FleetSketch:
    """Return a fleet of two pools that divides at a total length; a context that was given stays, if it is enough."""
    short, long = (sketch_of(pool, pool.replicas, given=False) for pool in fleet.pools)
    own = fleet.pools[0]
    context = length if own.context == own.up_to else max(own.context, length)
    return _with(fleet, [replace(short, up_to=length, context=context), replace(long, above=length)])


def _of(scene: Scene, pool: Pool, tp: int, gpus: int) -> PoolSketch | None:
    """Return a pool of so many GPUs in replicas of `tp` a stage, None where they form none.

    Its engine is set as the pool's where that is set otherwise than it comes.
    """
    replicas, own = gpus // (tp * pool.pp), scene.profile_of(pool).settled(scene.question)
    if not replicas:
        return None
    budget, sequences = pool.token_budget, pool.max_num_seqs
    return replace(
        sketch_of(pool, replicas, given=False),
        tp=tp,
        token_budget=None if budget == own.token_budget else budget,
        max_num_seqs=None if sequences == own.max_num_seqs else sequences,
    )


def _with(fleet: Fleet, pools: list[PoolSketch]) -> FleetSketch:
    return replace(FleetSketch.of(fleet), pools=tuple(pools))


def _scored(scene: Scene, sketch: FleetSketch) -> Candidate | None:
    """Return a fleet as the formulas see it, None where it cannot be, or an own fit knows only others."""
    fit = scene.question.fit
    if fit is not None and any(scene.question.fit_of(pool) is None for pool in sketch.pools):
        return None
    try:
        return scene.stage(sketch)[0].candidate
    except InputError:
        return None
