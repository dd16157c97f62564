"""What the formulas say of the pools of fleets at other sizes, all at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import Limit
from fleettui.domain.scenario import Question
from fleettui.domain.size_curve import SizeCurve
from fleettui.optimize.enlarge import Place, offers_of_fleets, places_of
from fleettui.optimize.offers import Offer, with_spares
from fleettui.optimize.ranges import Slices
from fleettui.optimize.terms import Terms
from fleettui.optimize.watts import idle_watts, working_watts
from fleettui.queueing.arrays import FloatArray, IntArray

EACH = 8
"""So many sizes from the least on are looked at one by one."""
STEP = 1.2
"""The larger ones by this factor from one to the next."""
FURTHEST = 4.0
"""The largest size is so many times that by formula."""
MOST_BUSY = 0.98
"""No size is looked at whose pool would be busier."""


def size_curves(
    fleets: Sequence[Fleet],
    *,
    question: Question,
    slices: Slices,
    profiles: Sequence[Profile],
    context: int,
    late: bool = True,
) -> list[tuple[SizeCurve, ...]]:
    """Return the curve of each pool of each of `fleets`, which a search found, on hardware of `profiles`.

    Unless how `late` they are is asked, too, they tell of no latency.
    """
    offers, ranges = offers_of_fleets(fleets, question, slices, profiles, context)
    places = [places_of(fleet, offers, ranges) for fleet in fleets]
    curves: dict[Place, SizeCurve] = {}
    for index in sorted({place[0] for own in places for place in own}):
        mine = sorted({place for own in places for place in own if place[0] == index})
        curves |= dict(zip(mine, _curves(mine, offers[index], question, late=late), strict=True))
    return [tuple(curves[place] for place in own) for own in places]


def _curves(places: Sequence[Place], chosen: Offer, question: Question, *, late: bool) -> list[SizeCurve]:
    """Return the curves of pools of one offer; their sizes are evaluated together."""
    profile, terms = chosen.profile, chosen.terms
    grids = [_sizes(chosen, row, replicas, terms) for _, row, replicas in places]
    rows = np.repeat([row for _, row, _ in places], [len(grid) for grid in grids])
    sizes = np.concatenate(grids).astype(float)
    shares, watts = _evaluated(chosen, rows, sizes, chosen.terms.limits if late else ())
    standing = with_spares(sizes, profile, question)
    watts += idle_watts(profile, sizes, standing)
    ends = np.cumsum([len(grid) for grid in grids])[:-1]
    columns = (np.split(one, ends, axis=-1) for one in (sizes, standing * profile.gpus_per_replica, watts, shares))
    return [
        SizeCurve(
            gpu=profile.gpu,
            price=profile.price_per_hour,
            lot=profile.gpus_per_node if question.whole_nodes else 1,
            sizes=tuple(map(int, own)),
            gpus=tuple(gpus.tolist()),
            watts=tuple(drawn.tolist()),
            shares=tuple(map(tuple, share.tolist())),
        )
        for own, gpus, drawn, share in zip(*columns, strict=True)
    ]


def _evaluated(
    chosen: Offer, rows: IntArray, sizes: FloatArray, limits: Sequence[Limit]
) -> tuple[FloatArray, FloatArray]:
    """Return latencies as shares of their limits, shape (limits, rows), and watts, each in its worst time slice."""
    shares, watts = np.zeros((len(limits), len(rows))), np.zeros(len(rows))
    for place, served in enumerate(chosen.slices):
        busy = np.flatnonzero(served.demanded.occupied[rows])
        if not len(busy):
            continue
        load = chosen.load(rows[busy], sizes[busy], place)
        drawn = working_watts(chosen.profile, load)
        watts[busy] = np.maximum(watts[busy], drawn)
        for number, limit in enumerate(limits):
            late = np.nan_to_num(chosen.terms.percentile(load, limit), nan=0.0, posinf=np.inf) / limit.seconds
            shares[number, busy] = np.maximum(shares[number, busy], late)
    return shares, watts


def _sizes(chosen: Offer, row: int, replicas: int, terms: Terms) -> IntArray:
    """Return the sizes of a pool's curve: from the fewest that its load allows to several times its own."""
    busy = max(
        float(chosen.load(np.array([row]), np.array([float(replicas)]), place).occupancy.utilization[0])
        for place, served in enumerate(chosen.slices)
        if served.demanded.occupied[row]
    )
    least = max(1, int(np.ceil(busy * replicas / min(terms.max_utilization, MOST_BUSY) - 1e-9)))
    most = max(least + EACH, int(FURTHEST * replicas))
    found = [*range(least, least + EACH)]
    while found[-1] < most:
        found.append(max(found[-1] + 1, int(found[-1] * STEP)))
    return np.array(found)
