"""Fleets by trying everything: every profile, split, factor and replica count, each pool's requests routed one by one.

An oracle for the searches, which share none of its steps but the sizing of a pool.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.optimize import sizing
from fleettui.optimize.plan import factors_of
from fleettui.optimize.ranges import Demanded, Ranges, concurrency, service
from fleettui.optimize.terms import Terms
from fleettui.routing import length_pools
from tests.optimize.samples import Atoms

GRID, CONTEXT = (400, 1200, 3000), 16_384
MOST = 40
Counts = np.ndarray[Any, Any]


def best_by_trying(asked: Question, rate: float, lengths: Atoms, profiles: list[Profile], most: int = MOST) -> float:
    """Return the least of the objective over every profile, split, factor and replica count; infinite if none holds.

    Counts go up to MOST a pool, of fleets of more than two pools the first `most` that hold.
    """
    best = np.inf
    for pools in asked.pools:
        for cuts in itertools.combinations(GRID, pools - 1):
            for gamma in factors_of(asked.gamma) if pools > 1 else (1.0,):
                ends = (*cuts, CONTEXT)
                if (pools > 1 and gamma < asked.gamma[0]) or (pools > 2 and not apart(ends[:-1], gamma)):
                    continue
                bounds = list(itertools.pairwise((0, *ends)))
                parts = length_pools.route(lengths, bounds, gamma=gamma, compressible=asked.compressible)
                lists = {
                    (place, one): holding(one, asked, rate, lengths, bounds[place], parts[place])[:most]
                    for place in range(pools)
                    for one in profiles
                }
                for chosen in itertools.product(profiles, repeat=pools):
                    counts = np.meshgrid(*(lists[place, one] for place, one in enumerate(chosen)))
                    best = worth(asked, chosen, counts).min(initial=best)
    return float(best)


def apart(cuts: tuple[int, ...], gamma: float) -> bool:
    return all(high >= int(gamma * low) for low, high in itertools.pairwise(cuts))


def worth(asked: Question, chosen: tuple[Profile, ...], counts: Sequence[Counts]) -> Counts:
    """Return what the objective makes of fleets of so many replicas each, infinite where they break a constraint."""
    kinds = {one.gpu: one for one in chosen}
    used = {
        name: sum(count * one.tp for count, one in zip(counts, chosen, strict=True) if one.gpu == name)
        for name in kinds
    }
    nodes = {name: one.gpus_per_node if asked.whole_nodes else 1 for name, one in kinds.items()}
    paid = {name: -(-count // nodes[name]) * nodes[name] for name, count in used.items()}
    cost = sum(count * kinds[name].price_per_hour for name, count in paid.items())
    broken = (cost > (asked.budget or np.inf)) | (sum(paid.values()) > (asked.max_total_gpus or np.inf))
    for name, most in asked.max_gpus:
        broken |= paid.get(name, 0) > most
    return np.where(broken, np.inf, sum(used.values()) if asked.objective == "gpus" else cost)


def holding(
    one: Profile, asked: Question, rate: float, lengths: Atoms, bounds: tuple[int, int], part: Atoms
) -> list[int]:
    """Return the replica counts with which a pool that gets the requests `part` keeps the terms."""
    if not part:
        return []
    share = sum(atom[0] for atom in part) / sum(atom[0] for atom in lengths)
    ranges = Ranges.of((), bounds[1])
    demanded = Demanded.of(rate * share, part, ranges, chunk=one.settled(asked).token_budget, prefix_hit=0.0)
    places = concurrency(one, demanded, ranges, asked)
    if places[0] < 1:
        return []
    rows, counts, held_to = np.zeros(MOST, np.int64), np.arange(1.0, MOST + 1), Terms.of(asked)
    load = demanded.load(service(one, demanded, rows, places[rows], asked), rows, counts)
    return [int(count) for count in counts[sizing.above_floor(load, held_to) & sizing.keeps(load, held_to)]]
