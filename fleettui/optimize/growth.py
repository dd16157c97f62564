"""Growth along a step table: when each fleet runs out, and when the next GPUs must be ordered."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise, takewhile

import numpy as np

from fleettui.domain.uncertain import WITHIN, slower_than
from fleettui.domain.whatif import (
    DAYS_PER_MONTH,
    ORDER_MONTHS,
    Growth,
    Orders,
    Stage,
    Step,
    at_a_time,
    months_until,
    rate_after,
    whole_days,
)
from fleettui.errors import InputError
from fleettui.optimize.costs import taken_by_type
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.spares import fills_nodes

CENTURY = 1200.0
"""Months beyond which no end of a day is told."""

NEAR = 1e-3
"""How near to a rate the end of a day is known by, as a share of it: less than a day at a few percent a month."""

CASES = 64
"""Growths within a span, and step times to each, over which the ends of a day are told."""

Filled = Callable[[Sequence[Step]], Step]
"""Says which of steps, of which the first is needed, what is ordered for it holds."""


def highest_rate(rate: float, growth: Growth) -> float:
    """Return the rate that a step table must reach: that of the end, and of what its last order covers."""
    return rate_after(rate, growth.per_month, growth.months + ORDER_MONTHS[growth.orders])


def stages(now: Step, steps: Sequence[Step], rate: float, growth: Growth, filled: Filled) -> tuple[Stage, ...]:
    """Return the fleets that demand grows through, each with the day from which it is needed.

    `now` is the fleet that serves `rate`, today's, with all that is paid for; a fleet of `steps` is needed from the
    day on which the one before it runs out. An order covers the months from then on that the growth's orders do, or
    the next step alone, `filled` with all that it holds. Days are whole, the earlier one. Fleets that are needed after
    the growth's months are left out.
    """
    first = Stage(reached=growth.start, order_by="", late=False, rate=rate, step=now)
    return first, *_orders(now, steps, rate, growth, filled)


def _orders(now: Step, steps: Sequence[Step], rate: float, growth: Growth, filled: Filled) -> Iterator[Stage]:
    before, covered = now, ORDER_MONTHS[growth.orders]
    while True:
        left = [step for step in steps if step.up_to > before.up_to]
        reached = months_until(rate, growth.per_month, before.up_to)
        if reached > growth.months or not left:
            return
        most = rate_after(rate, growth.per_month, reached + covered) if covered else before.up_to
        first = next((place for place, step in enumerate(left) if step.up_to >= most), len(left) - 1)
        step = filled(left[first:])
        order = _order_day(growth, reached)
        yield Stage(
            reached=day(date.fromisoformat(growth.start), reached).isoformat(),
            order_by=order,
            late=order < growth.today,
            rate=before.up_to,
            step=step,
            simulated=before.simulated,
            ordered=step.gpus - before.gpus,
        )
        before = step


def filled(shape: Shape, owned: Sequence[int], way: Orders, left: Sequence[Step]) -> Step:
    """Return the last of the steps `left` that fits into what is ordered for the first of them.

    GPUs beyond those that `owned` replicas take are ordered a node or one at a time; its GPUs and cost count all. It is
    one where the question's spares are for nodes that are not filled: of filled ones they would be too few.
    """
    there, prices = taken(shape, owned), {one.profile.gpu: one.profile.price_per_hour for one in shape.pools}
    whole, way = shape.question.whole_nodes, way if fills_nodes(shape.question) else "each"
    sizes = {
        one.profile.gpu: at_a_time(there[one.profile.gpu], one.profile.gpus_per_node, way, whole_nodes=whole)
        for one in shape.pools
    }
    held = {
        gpu: there[gpu] + math.ceil((count - there[gpu]) / sizes[gpu]) * sizes[gpu]
        for gpu, count in taken(shape, left[0].replicas).items()
    }

    def fits(step: Step) -> bool:
        return all(count <= held[gpu] for gpu, count in taken(shape, step.replicas).items())

    *_, step = takewhile(fits, left)
    cost = sum(count * prices[gpu] for gpu, count in held.items())
    used = taken(shape, step.replicas, whole_nodes=False)
    idle = tuple((gpu, count - used[gpu]) for gpu, count in held.items() if count > used[gpu])
    paid, lots = tuple(held.items()), tuple(sizes.items())
    return replace(step, gpus=sum(held.values()), cost=cost, there=paid, lots=lots, idle=idle)


def taken(shape: Shape, replicas: Sequence[int], *, whole_nodes: bool | None = None) -> dict[str, int]:
    """Return the GPUs by type that the pools of a fleet take at these sizes, in whole nodes as the question pays.

    Unless it is told whether these are `whole_nodes`.
    """
    whole = shape.question.whole_nodes if whole_nodes is None else whole_nodes
    pools = zip(shape.gpus(replicas), (one.profile for one in shape.pools), strict=True)
    return taken_by_type(pools, whole_nodes=whole)


def with_ends(found: Sequence[Stage], rate: float, growth: Growth, ends: Sequence[Sequence[float]]) -> Iterator[Stage]:
    """Yield stages with the ends of their orders' days, by what a fleet lasts until and by the growth's span.

    `ends` are the rates (requests/s) up to which each stage's fleet holds where its steps take longest, as predicted
    and shortest; empty where no error of them is known. Over both the days are those of WITHIN of the cases, over a
    span alone those at its ends.
    """
    yield found[0]
    for place, (before, stage) in enumerate(pairwise(found)):
        until = [max(one, rate) for one in (ends[place] if ends else (before.step.up_to,) * 3)]
        if growth.span is None:
            months = [months_until(rate, growth.per_month, one) for one in (until[0], until[-1])]
        elif not ends:
            months = [months_until(rate, per_month, until[0]) for per_month in reversed(growth.span)]
        else:
            months = _within(rate, growth.span, until)
        earliest, latest = ("" if reached > CENTURY else _order_day(growth, reached) for reached in months)
        yield replace(stage, earliest=earliest, latest=latest)


def _within(rate: float, span: tuple[float, float], until: Sequence[float]) -> list[float]:
    """Return between which months a growing rate comes to what a fleet lasts until, in WITHIN of the cases.

    A case is a growth within the span, each as likely, and a step time; the fleet lasts `until` those rates where steps
    take longest, as predicted and shortest, and between and beyond them as their logarithms go.
    """
    (low, high), shares = span, (np.arange(CASES) + 0.5) / CASES
    towards = np.array([slower_than(share) for share in shares])
    longest, predicted, shortest = np.log(np.array(until) / rate)
    lasts = predicted + np.where(towards > 0, (longest - predicted) * towards, (predicted - shortest) * towards)
    months = np.maximum(lasts, 0.0) / np.log1p(low + (high - low) * shares)[:, None]
    return [float(one) for one in np.quantile(months, ((1.0 - WITHIN) / 2.0, (1.0 + WITHIN) / 2.0))]


def _order_day(growth: Growth, reached: float) -> str:
    """Return the day by which GPUs must be ordered that are needed so many months after the start, as an ISO date."""
    return day(date.fromisoformat(growth.start), reached - growth.lead_days / DAYS_PER_MONTH).isoformat()


def day(start: date, months: float) -> date:
    """Return the day so many months of 365/12 days after `start`; raises InputError beyond the calendar."""
    try:
        return start + timedelta(days=whole_days(months))
    except OverflowError:
        raise InputError("the calendar ends before that", value=f"{months:.0f} months after {start}") from None
