"""The GPUs of a fleet's shape at rates from low to high, as its step table has them and what is there already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.need import NEAR, Level
from fleettui.domain.whatif import Step
from fleettui.optimize import steps
from fleettui.optimize.fleet_shape import Shape
from fleettui.optimize.growth import taken

MOST = steps.Most(20_000, "--years, --growth")
"""Fleets of which only the GPUs at a rate are read."""
LOWEST = 1e-3
"""The least rate that a fleet is sized for, as a share of its own."""


def kept(table: Sequence[Step], owned: Sequence[int], shape: Shape) -> list[Step]:
    """Return the steps with no pool below what is there; those that then are one fleet become one step."""
    found: list[Step] = []
    for step in table:
        sizes = tuple(map(max, step.replicas, owned))
        if found and found[-1].replicas == sizes:
            found.pop()
        larger = replace(step, replicas=sizes, gpus=sum(shape.gpus(sizes)), cost=shape.cost(sizes))
        found.append(step if sizes == step.replicas else larger)
    return found


def levels(shape: Shape, owned: Sequence[int], rate: float, rates: tuple[float, float]) -> tuple[Level, ...]:
    """Return the GPUs that a fleet of `owned` replicas needs at `rates` from low to high (requests/s).

    At `rate`, its own, they are its own; beyond it no pool is smaller, and below it none is larger. Raises InputError
    where no size holds, and for rates between which more than MOST lie.
    """
    low, high = max(rates[0], rate * LOWEST), max(rates[1], rate)
    table = steps.unscored(shape, (low, high), MOST)
    ends = [0.0, *(step.up_to for step in table)]
    sized = [
        (min(step.up_to, rate * (1.0 - NEAR)), tuple(map(min, step.replicas, owned)))
        for before, step in zip(ends, table, strict=False)
        if before < rate * (1.0 - NEAR)
    ]
    sized.append((rate * (1.0 + NEAR), tuple(owned)))
    beyond = [step for step in table if step.up_to > rate * (1.0 + NEAR)]
    sized += [(step.up_to, step.replicas) for step in kept(beyond, owned, shape)]
    return tuple(Level(up_to=up_to, gpus=tuple(taken(shape, sizes).items())) for up_to, sizes in sized)
