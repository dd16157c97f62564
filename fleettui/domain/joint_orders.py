"""When workloads that share GPUs must order how many: what is idle serves first, whichever needs it first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from fleettui.domain.whatif import DAYS_PER_MONTH, ORDER_MONTHS, Growth, Stage

Fleets = Mapping[str, Sequence[Stage]]
"""By workload its fleets on the way of growth, each the next larger one; the first is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointOrder:
    """GPUs by type that are ordered together, and those that all workloads then have, idle ones too.

    `name` is the workload that needs them first, for the fleet of the `stage`. `earliest` and `latest` are the ends of
    the day by which they are to be ordered, empty where they are not known or beyond a century.
    """

    name: str
    stage: Stage
    ordered: Mapping[str, int]
    total: Mapping[str, int]
    earliest: str = ""
    latest: str = ""


def in_use(fleets: Fleets) -> Counter[str]:
    """Return the GPUs by type on which the first fleets of all workloads serve."""
    return sum((_gpus(stages[0]) for stages in fleets.values()), Counter[str]())


def in_the_end(fleets: Fleets, growth: Growth) -> Counter[str]:
    """Return the GPUs by type on which the fleets of all workloads serve when the growth's months are over."""
    end = horizon(growth, growth.months)
    last = ([one for one in stages if one.reached <= end][-1] for stages in fleets.values())
    return sum(map(_gpus, last), Counter[str]())


def horizon(growth: Growth, months: float) -> str:
    """Return the ISO date of so many months after the growth's start."""
    return _later(growth.start, months)


def joint_orders(
    fleets: Fleets, paid: Mapping[str, int], sizes: Mapping[str, int], growth: Growth
) -> Iterator[JointOrder]:
    """Yield the orders that the growth of all workloads takes, in time.

    `paid` are the GPUs by type that are there, `sizes` those that are ordered at a time: a node's or one. An order of
    a type is due where the next larger fleet of a workload needs more than are idle; it covers what all workloads take
    of that type in the months that the growth's orders cover.
    """
    total = Counter(dict(paid))
    idle = total - in_use(fleets)
    at, end = dict.fromkeys(fleets, 0), horizon(growth, growth.months)
    while coming := [row for row in _following(fleets, at) if row[0] <= end]:
        reached, name = min(coming)
        stage, more = fleets[name][at[name] + 1], _more(fleets[name], at[name])
        if missing := more - idle:
            until = _later(reached, ORDER_MONTHS[growth.orders])
            covered = more + _taken(fleets, {**at, name: at[name] + 1}, until)
            ends = [due(fleets, total, day) for day in (_earliest, _latest)]
            short = {gpu: count for gpu, count in (covered - idle).items() if gpu in missing}
            ordered = {gpu: math.ceil(count / sizes[gpu]) * sizes[gpu] for gpu, count in short.items()}
            total.update(ordered)
            idle.update(ordered)
            yield JointOrder(
                name=name, stage=stage, ordered=ordered, total=dict(total), earliest=ends[0], latest=ends[1]
            )
        idle -= more
        at[name] += 1


def due(fleets: Fleets, stock: Mapping[str, int], day: Callable[[Stage], str]) -> str:
    """Return the first day by which GPUs beyond a `stock` by type are to be ordered, if each fleet's is its `day`.

    Empty where the stock lasts: a fleet whose day is empty is never needed.
    """
    used, there = in_use(fleets), Counter(dict(stock))
    days = ((day(stage), name, place) for name, stages in fleets.items() for place, stage in enumerate(stages[1:]))
    for until, name, place in sorted(one for one in days if one[0]):
        used += _more(fleets[name], place)
        if used - there:
            return until
    return ""


def _earliest(stage: Stage) -> str:
    return stage.earliest


def _latest(stage: Stage) -> str:
    return stage.latest


def _following(fleets: Fleets, at: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the day from which each workload needs its next larger fleet, and its name."""
    for name, stages in fleets.items():
        if at[name] + 1 < len(stages):
            yield stages[at[name] + 1].reached, name


def _taken(fleets: Fleets, at: Mapping[str, int], until: str) -> Counter[str]:
    """Return the GPUs by type that all workloads take for fleets that are needed before the day `until`."""
    taken = Counter[str]()
    for name, stages in fleets.items():
        for place in range(at[name], len(stages) - 1):
            if stages[place + 1].reached < until:
                taken += _more(stages, place)
    return taken


def _more(stages: Sequence[Stage], place: int) -> Counter[str]:
    return _gpus(stages[place + 1]) - _gpus(stages[place])


def _gpus(stage: Stage) -> Counter[str]:
    return Counter(dict(stage.step.there))


def _later(start: str, months: float) -> str:
    return (date.fromisoformat(start) + timedelta(days=math.floor(months * DAYS_PER_MONTH + 1e-9))).isoformat()
