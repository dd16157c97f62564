"""The tasks of a burst: a run of a fleet through the window, and what the runs come to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fleettui.domain.day import steady
from fleettui.domain.failing import SlowReplica
from fleettui.domain.fleet import Fleet
from fleettui.domain.stretch import Burst, Change, PoolStretch, StretchFigures
from fleettui.hardware.power_cap import capped
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.autoscale import day_draws
from fleettui.planning.tasks.power import law_of
from fleettui.planning.tasks.ready_pool import ready_pool
from fleettui.planning.tasks.simulation_inputs import Scene, scene_of
from fleettui.simulation import stretch
from fleettui.simulation.curve import Curve
from fleettui.simulation.draws import Draws, Whole
from fleettui.simulation.layout import Engine
from fleettui.simulation.stretch_figures import stretch_figures


def replay(
    context: Context,
    *,
    source: SceneSource,
    fleet: Fleet,
    windows: tuple[Burst, ...],
    warm: float,
    step: float,
    seed: int,
    index: int,
) -> tuple[PoolStretch, ...]:
    """Play run `index` of the fleet through a window, each pool's own of `windows`; it is warm after `warm` seconds.

    Requests go on coming for half as long after the end, so that the last ones meet the same crowd.
    """
    played = [
        _played(context, source=source, fleet=fleet, place=place, burst=burst, warm=warm, seed=seed, index=index)
        for place, burst in enumerate(windows)
    ]
    return stretch.seen(played, slo=scene_of(source).question.slo, step=step)


def _played(
    context: Context,
    *,
    source: SceneSource,
    fleet: Fleet,
    place: int,
    burst: Burst,
    warm: float,
    seed: int,
    index: int,
) -> stretch.Played:
    """Play the fleet's `place`-th pool."""
    ready = ready_pool(source, fleet, place, context)
    day = steady(ready.rate, 1.5 * warm + burst.end).spiked(warm + burst.start, burst.seconds, burst.factor)
    draws = day_draws(ready.traffic, place, day, seed=seed, index=index)
    pool = fleet.pools[place]
    draws = _other_lengths(draws, burst, warm, pool.up_to)
    batch = None if burst.batch is None else replace(pool, max_num_seqs=burst.batch).settings.places(pool.pp)
    changes = _changes(burst, warm, pool.replicas, batch, ready.engine.places)
    slower = None if burst.cap is None else _slower(scene_of(source), fleet, place, burst.cap)
    engine = ready.engine
    if burst.slow is not None:
        engine = replace(engine, slow=SlowReplica(speed=burst.slow, start=warm + burst.start, end=warm + burst.over))
    return stretch.Played(
        name=pool.name,
        pool=stretch.play(engine, draws, pool.replicas, changes, slower),
        burst=burst,
        warm=warm,
        front_end=pool.profile.front_end,
    )


def _slower(scene: Scene, fleet: Fleet, place: int, cap: float) -> Curve:
    """Return the steps of a pool whose GPUs are capped at a share of their limit."""
    pool, profile = replace(fleet.pools[place], replicas=1), scene.profile_of(fleet.pools[place])
    under = capped(profile, round(cap * law_of(profile).limit, 6))
    curve = Engine.of(pool, fleet.admission, fleet.router, under, fleet.router_refresh).curve
    assert curve is not None, f"pool {pool.name}: no steps by kernels to slow down"
    return curve


def _other_lengths(draws: Draws, burst: Burst, warm: float, longest: int) -> Draws:
    """Return requests whose prompts and outputs are longer or shorter in the window, of at most `longest` tokens."""
    if burst.prompts == burst.outputs == 1.0 or draws.arrivals is None:
        return draws
    inside = (draws.arrivals >= warm + burst.start) & (draws.arrivals < warm + burst.over)

    def scaled(tokens: Whole, factor: float, most: int | Whole) -> Whole:
        other = np.clip(np.rint(tokens * factor), 1, most)
        return np.where(inside, other, tokens).astype(np.int32)

    output = scaled(draws.output, burst.outputs, longest - 1)
    prompt = scaled(draws.prompt, burst.prompts, np.maximum(longest - output, 1))
    cached = np.minimum(scaled(draws.cached + 1, burst.prompts, longest) - 1, prompt - 1)
    return replace(draws, prompt=prompt, output=output, cached=np.where(inside, cached, draws.cached).astype(np.int32))


def _changes(burst: Burst, warm: float, replicas: int, batch: int | None, places: int) -> tuple[Change, ...]:
    """Return when replicas go, and run fewer sequences, and when all is as before; none where nothing differs.

    `places` are the sequences that a row runs at once, `batch` those in the window, None for as many.
    """
    if not burst.down and batch is None and burst.cap is None:
        return ()
    fewer = None if batch is None else min(batch, places)
    return (
        Change(
            moment=warm + burst.start,
            serving=replicas - burst.down,
            lost=burst.lost,
            places=fewer,
            slower=burst.cap is not None,
        ),
        Change(moment=warm + burst.over, serving=replicas, places=None if batch is None else places),
    )


def judge(context: Context, *, runs: tuple[tuple[PoolStretch, ...], ...], share: float, step: float) -> StretchFigures:
    """Return what the runs come to, each of every pool, in bins of `step` seconds; `share` is the SLO's percentile."""
    context.check()
    return stretch_figures(runs, share=share, step=step)
