"""What the requests of a kept plan's fleet meet while spot GPUs of it are gone, by simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fleettui.domain.autoscale import Delay
from fleettui.domain.failing import Case
from fleettui.domain.fleet import Fleet
from fleettui.domain.money import Period
from fleettui.planning.studies import failures
from fleettui.planning.studies.burst import RUNS, step_of, warm_of
from fleettui.reports.studies.money_case import Taken

if TYPE_CHECKING:
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext


def one_gone(fleet: Fleet, spot: Sequence[Period]) -> tuple[Case, ...]:
    """Return the cases in which one unit of the GPUs that the periods take as spot is gone, by the pool it is of."""
    found = []
    for place, pool in enumerate(fleet.pools):
        for one in spot:
            if one.gpu == pool.gpu:
                gone = min(math.ceil(one.unit / pool.gpus_per_replica), pool.replicas)
                found.append(_case(fleet, f"one spot unit of {pool.name}", {place: gone}))
    return tuple(found)


def all_gone(fleet: Fleet, spot: Sequence[Period]) -> tuple[Case, ...]:
    """Return the cases in which all that is spot of `fleet` is gone, by the pool that has of it what it can.

    Of a fleet that grows until the periods' most it is the same share of its own GPUs, in whole units.
    """
    found = {}
    for first in (place for place, pool in enumerate(fleet.pools) if any(one.gpu == pool.gpu for one in spot)):
        left = {one.gpu: _units(fleet, one) * one.unit for one in spot}
        down = {}
        for place in (first, *(place for place in range(len(fleet.pools)) if place != first)):
            pool = fleet.pools[place]
            down[place] = min(math.ceil(left.get(pool.gpu, 0) / pool.gpus_per_replica), pool.replicas)
            left[pool.gpu] = max(left.get(pool.gpu, 0) - down[place] * pool.gpus_per_replica, 0)
        case = _case(fleet, "all spot", down)
        found[case.down] = case
    return tuple(found.values())


def _units(fleet: Fleet, one: Period) -> int:
    """Return how many of a fleet's units are spot, where the period takes a share of its most as spot."""
    held = sum(pool.replicas * pool.gpus_per_replica for pool in fleet.pools if pool.gpu == one.gpu) / one.unit
    return min(math.ceil(one.cut.spot * held / len(one.shares)), one.cut.spot)


def _case(fleet: Fleet, name: str, down: dict[int, int]) -> Case:
    return Case(name=name, down=tuple(down.get(place, 0) for place in range(len(fleet.pools))))


async def spot_taken(desk: StudyContext, kept: KeptPlan, spot: Sequence[Period], missing: float) -> Taken:
    """Return what is within every limit while spot GPUs of the plan's fleet are `missing` seconds; the worst pool's.

    `spot` are the periods of the first term that take any. Raises InputError for a plan that cannot be played.
    """
    trials = await failures.trials_of(desk, kept)
    seconds = missing + await failures.loading(desk, trials.fleet, Delay(node=0.0))
    one, every = one_gone(trials.fleet, spot), all_gone(trials.fleet, spot)
    cases = {case.down: case for case in (_case(trials.fleet, "none down", {}), *one, *every)}
    window = failures.window_of(tuple(cases.values()), min(seconds, failures.LONGEST), trials.held)
    warm, step = warm_of(trials.held), step_of(window)
    played = await trials.outages(tuple(cases.values()), window, runs=RUNS, warm=warm, step=step)
    met = dict(zip(cases, (outage.inside.value for outage in played), strict=True))

    def worst(found: Sequence[Case]) -> float | None:
        return min((share for case in found if (share := met[case.down]) is not None), default=None)

    same = {case.down for case in one} == {case.down for case in every}
    return Taken(none=next(iter(met.values())), one=worst(one), all=None if same else worst(every))
