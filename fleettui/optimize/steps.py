"""The exact step table of a fleet's shape: for each fleet the rate at which it runs out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.plan import PoolFigures
from fleettui.domain.whatif import Step
from fleettui.errors import InputError
from fleettui.optimize.bisection import MOST_DOUBLINGS, ends_of
from fleettui.optimize.fleet_shape import PoolShape, Shape
from fleettui.optimize.given_fleet import ScoredFleet
from fleettui.optimize.terms import Terms
from fleettui.queueing.arrays import FloatArray

CLOSE = 1e-6
"""How near to a rate where a fleet runs out the table stands, as a share of it: a fleet holds at its row's rate."""


@dataclass(frozen=True, slots=True)
class Most:
    """The rows that a table may have, and what was `asked`, to be named where it has more."""

    rows: int
    asked: str


Scored = Callable[[Sequence[int], float], ScoredFleet]
"""Says what the formulas see of the fleet at these sizes and this rate."""


def steps(
    shape: Shape, rates: tuple[float, float], score: Scored, told: Callable[[int, int], None], most: Most
) -> tuple[Step, ...]:
    """Return the fleets that serve the `rates` from low to high (requests/s), each up to where it runs out.

    A fleet that was simulated to fail where a smaller one runs out is left out.
    The last row's fleet serves the high one and runs out beyond. `told` hears (rows done, rows in all) and may raise.
    Raises InputError where no size holds, and for more rows than `most`.
    """
    rows, found = unscored(shape, rates, most), list[Step]()
    for row in rows:
        told(len(found), len(rows))
        found.append(scored(shape, row, score))
    return tuple(found)


def unscored(shape: Shape, rates: tuple[float, float], most: Most) -> tuple[Step, ...]:
    """Return the same steps without what fails beyond them, and without latencies and shortfalls."""
    low, high = rates
    sizes = [_sizes_at(pool, low, high, shape.terms) for pool in shape.pools]
    count = sum(last - first for first, last in sizes) + 1
    if count > most.rows:
        raise InputError(
            f"between these rates lie about {count} fleets",
            where=most.asked,
            value=f"{low:g}/s to {high:g}/s",
            accepted=f"a range with up to {most.rows} fleets in it",
        )
    limits = [
        runs_out(pool, np.arange(first, last + 1, dtype=float), low, shape.terms)
        for pool, (first, last) in zip(shape.pools, sizes, strict=True)
    ]
    replicas = [first for first, _ in sizes]
    found: list[Step] = []
    for rate, failing in _events(limits, high):
        found.append(_step(shape, tuple(replicas), rate, failing))
        replicas = [size + (place in failing) for place, size in enumerate(replicas)]
    return tuple(
        step for place, step in enumerate(found) if not place or step.up_to > found[place - 1].up_to * (1.0 + CLOSE)
    )


def scored(shape: Shape, step: Step, score: Scored) -> Step:
    """Return a step with what fails beyond it, its latency and its shortfalls, as its fleet has them at its rate."""
    seen = score(step.replicas, step.up_to).candidate
    place = next(place for place, pool in enumerate(shape.pools) if pool.pool.name == step.runs_out[0])
    return replace(
        step,
        limited_by=_beyond(shape, step.replicas, step.up_to, place, seen.pools[place]),
        ttft=shape.ttft(seen.pools),
        shortfalls=seen.shortfalls,
    )


def lasts(shape: Shape, replicas: Sequence[int]) -> float:
    """Return the rate in requests/s at which a fleet of these sizes runs out."""
    return float(each_lasts(shape, [replicas])[0])


def lasts_under(shape: Shape, replicas: Sequence[int]) -> tuple[float, tuple[float, ...]]:
    """Return the same, and the rates in requests/s that load each of the pools as much at the step times predicted."""
    rate = lasts(shape, replicas)
    factors = {pool.factor(rate, size) for pool, size in zip(shape.pools, replicas, strict=True)}
    return rate, tuple(sorted(rate * factor for factor in factors))


def each_lasts(shape: Shape, fleets: Sequence[Sequence[int]], close: float = CLOSE) -> FloatArray:
    """Return the same of several fleets' sizes, smallest first, known to a share `close`; shape (fleets,)."""
    found = np.full(len(fleets), np.inf)
    for pool, sizes in zip(shape.pools, zip(*fleets, strict=True), strict=True):
        counts, open_rows, least = np.array(sizes, dtype=float), np.arange(len(sizes)), 0.0
        while len(open_rows) and not (least := _smallest_rate(pool, sizes[open_rows[0]], shape.terms)):
            found[open_rows[0]] = 0.0
            open_rows = open_rows[1:]
        if len(open_rows):
            own = runs_out(pool, counts[open_rows], least, shape.terms, close)
            found[open_rows] = np.minimum(found[open_rows], own)
    return found


def runs_out(pool: PoolShape, counts: FloatArray, low: float, terms: Terms, close: float = CLOSE) -> FloatArray:
    """Return, for each of the `counts` of replicas, the largest rate (requests/s) at which that many suffice.

    By bisection on the rate with the sizing itself, which needs no more than the first at `low`; each rate suffices,
    and one that is larger by a share `close` does not. Infinite for a pool that gets no request.
    """
    if not pool.loads:
        return np.full(len(counts), np.inf)

    def hold(rows: NDArray[np.intp], rates: FloatArray) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = pool.sizes(rates.ravel(), terms).reshape(rates.shape) <= counts[rows][:, None]
        return found

    holds, fails = ends_of(len(counts), low, close, hold)
    for rate in sorted({one.rate for one in pool.anchor.seen if one.passed}):  # what was proven holds to the very rate
        near = np.flatnonzero((holds < rate) & (rate < fails))
        held = pool.sizes(np.full(len(near), rate), terms) <= counts[near]
        holds[near[held]] = rate
    return holds


def _sizes_at(pool: PoolShape, low: float, high: float, terms: Terms) -> tuple[int, int]:
    """Return the replicas at both rates; raises InputError where no number suffices."""
    first, last = pool.sizes(np.array([low, high]), terms)
    if not np.isfinite(last):
        raise InputError(
            f"no number of replicas of pool {pool.pool.name} holds the limits, at any rate",
            value=pool.profile.name,
            accepted="a fleet that can serve its requests: plan again",
        )
    return int(first), int(last)


def _smallest_rate(pool: PoolShape, size: int, terms: Terms) -> float:
    """Return a rate that `size` replicas serve, 0 where they serve none."""
    rate = 1.0
    for _ in range(MOST_DOUBLINGS):
        if pool.sizes(np.array([rate]), terms)[0] <= size:
            return rate
        rate /= 4.0
    return 0.0


def _events(limits: Sequence[FloatArray], high: float) -> list[tuple[float, tuple[int, ...]]]:
    """Return (rate, pools that run out there) in order, up to the first beyond `high`.

    Pools whose rates are closer than the bisection tells apart grow together, at the smaller.
    """
    ordered = sorted((float(rate), place) for place, own in enumerate(limits) for rate in own)
    found: list[tuple[float, tuple[int, ...]]] = []
    for rate, place in ordered:
        if found and rate <= found[-1][0] * (1.0 + 2.0 * CLOSE) and place not in found[-1][1]:
            found[-1] = (found[-1][0], (*found[-1][1], place))
        elif found and found[-1][0] >= high:
            break
        else:
            found.append((rate, (place,)))
    return found


def _step(shape: Shape, replicas: tuple[int, ...], rate: float, failing: Sequence[int]) -> Step:
    return Step(
        replicas=replicas,
        up_to=rate,
        gpus=sum(shape.gpus(replicas)),
        cost=shape.cost(replicas),
        runs_out=tuple(shape.pools[place].pool.name for place in failing),
        limited_by="",
        ttft=math.nan,
        simulated=shape.question.confidence is None
        and all(shape.pools[place].anchor.was_seen(replicas[place], rate) for place in failing),
    )


def _beyond(shape: Shape, replicas: Sequence[int], rate: float, place: int, figures: PoolFigures) -> str:
    """Return which limit the pool breaks just beyond `rate`: the first without which it would not be too small.

    Where simulations say that it is, it is the limit that its `figures` at that rate, load and latencies, come nearest
    to.
    """
    pool, beyond = shape.pools[place], rate * (1.0 + 4.0 * CLOSE)
    relaxed = [("utilization", replace(shape.terms, max_utilization=1.0 - 1e-9))]
    relaxed += [(limit.label, shape.terms.without(limit)) for limit in shape.terms.limits]
    enough = (name for name, terms in relaxed if pool.sizes(np.array([beyond]), terms)[0] <= replicas[place])
    found = next(enough, "several limits")
    if pool.anchor.least(beyond) <= replicas[place]:
        return found
    used = {limit.label: pool.seconds(limit, figures) / limit.seconds for limit in shape.terms.limits}
    used["utilization"] = figures.utilization / shape.terms.max_utilization
    return max(used, key=used.__getitem__)
