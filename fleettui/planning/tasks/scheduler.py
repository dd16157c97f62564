"""The tasks of `scheduler`: one run of a fleet under a scheduler, and what all runs say of each of several."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.fleet import Fleet
from fleettui.domain.schedulers import Scheduled, ScheduledRun
from fleettui.domain.simulation import PoolLength
from fleettui.errors import InputError
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.scheduler_checks import check_scheduler
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.simulation_inputs import scene_of
from fleettui.planning.tasks.verification import make_ready
from fleettui.simulation.scheduled import scheduled
from fleettui.simulation.statistics import ANY, change_of_runs, estimate_of_runs


def applies(context: Context, *, source: SceneSource, names: tuple[str, ...], required: bool) -> tuple[str, ...]:
    """Return which schedulers can serve a plan's question; raises InputError where all are `required`."""
    context.check()
    question, found = scene_of(source).question, []
    for name in names:
        try:
            check_scheduler(question, name)
        except InputError:
            if required:
                raise
        else:
            found.append(name)
    return tuple(found)


def replicate(
    context: Context, *, source: SceneSource, fleet: Fleet, lengths: tuple[PoolLength, ...], seed: int, index: int
) -> ScheduledRun:
    """Run replication `index` of `fleet` under the root `seed` for `lengths`."""
    scene = scene_of(source)
    make_ready(context.progress)
    context.check()
    found, profiles = scene.resize(fleet, [pool.replicas for pool in fleet.pools], ranged=False)
    return scheduled(found.candidate.fleet, found.traffic, lengths, profiles=profiles, seed=seed, index=index)


def run(
    context: Context,
    *,
    names: tuple[str, ...],
    runs: tuple[tuple[ScheduledRun, ...], ...],
    unstable: tuple[str, ...],
    own: str,
) -> tuple[Scheduled, ...]:
    """Return what each scheduler's `runs` come to, beside those of the scheduler `own`, which is among `names`."""
    context.check()
    plain = runs[names.index(own)]
    figures = range(len(plain[0].values))
    return tuple(
        Scheduled(
            scheduler=name,
            values=tuple(estimate_of_runs(_of_figure(these, at), ANY, why) for at in figures),
            changes=tuple(change_of_runs(_of_figure(these, at), _of_figure(plain, at), why) for at in figures),
            unstable=why,
        )
        for name, these, why in zip(names, runs, unstable, strict=True)
    )


def _of_figure(runs: Sequence[ScheduledRun], at: int) -> list[float | None]:
    """Return the figure at this place of each run."""
    return [one.values[at] for one in runs]
