"""What each pool is sent: its share of the requests, and what comes before a router that rewrites some of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fleettui.domain.fleet import FleetSketch
from fleettui.domain.simulation import BeforeClasses, Compressing, PoolTraffic
from fleettui.errors import InputError
from fleettui.optimize.by_class import sends_by_class, served_by
from fleettui.optimize.ranges import Ranges, Slices
from fleettui.queueing.arrays import IntArray
from fleettui.queueing.moments import Atoms
from fleettui.routing import ROUTERS
from fleettui.routing.router import Parts
from fleettui.routing.router import Ranges as Bounds


def share(part: Atoms, atoms: Atoms) -> float:
    """Return the share of the requests `atoms` that those of `part` are."""
    return sum(atom[0] for atom in part) / sum(atom[0] for atom in atoms)


def longest_of(atoms: Atoms) -> int:
    """Return the total of the longest of the requests `atoms` in tokens."""
    return math.ceil(max(prompt + output for _, prompt, output in atoms))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a stretch of time asks of a pool: requests per second and their atoms, all of the pool's lengths.

    All pools together get `total` requests per second. Where the router sends by class `everything` is what comes to
    them, whose `last` serves what is of class batch.
    """

    rate: float
    atoms: Atoms
    total: float
    everything: Asked | None = None
    last: bool = False

    @property
    def traffic(self) -> PoolTraffic:
        """The requests as they come."""
        return PoolTraffic(arrival_rate=self.rate, atoms=tuple(self.atoms))

    def served(self, batch_share: float | None) -> PoolTraffic:
        """Return what the pool serves, where such a share of all requests is of class batch."""
        if self.everything is None or batch_share is None:
            return self.traffic
        return served_by(self.traffic, self.everything.traffic, batch_share, last=self.last)


def among(atoms: Atoms, above: int, up_to: int) -> tuple[Ranges, IntArray]:
    """Return ranges of the requests `atoms`, and the row of a pool for those above and up to so many tokens."""
    longest = longest_of(atoms)
    ends = [end for end in (above, up_to) if 0 < end < longest]
    ranges = Ranges.of(ends, longest, cuts=range(len(ends)))
    return ranges, np.array([ranges.of_fleet(0)[min(above, 1)]])


def asked_of(router: str, place: int, slices: Slices, parts: Sequence[Parts], batch_share: float | None) -> list[Asked]:
    """Return what each of `slices`, cut into the `parts` of all pools, asks of the pool at `place`."""
    pools = len(parts[0])
    by_class = sends_by_class(router, pools, batch_share)
    return [
        Asked(
            rate=rate * share(own[place], atoms),
            atoms=own[place],
            total=rate,
            everything=Asked(rate=rate, atoms=[atom for part in own for atom in part], total=rate)
            if by_class
            else None,
            last=place == pools - 1,
        )
        for (rate, atoms), own in zip(slices, parts, strict=True)
    ]


def before_classes(pools: Sequence[Asked]) -> BeforeClasses | None:
    """Return what comes to the `pools` of a fleet before their router sends by class, None where it does not."""
    everything = [one.everything.traffic for one in pools if one.everything is not None]
    if not everything:
        return None
    return BeforeClasses(pools=tuple(one.traffic for one in pools), everything=tuple(everything))


def compressing_of(sketch: FleetSketch, ranges: Bounds, slices: Slices, governing: Sequence[int]) -> Compressing | None:
    """Return what comes to the pools of `ranges` before their router rewrites any, None where it does not.

    It is that of the time slice `governing` each pool. Raises InputError where a pool has requests that are rewritten
    for it alone: which come as they are is then not known.
    """
    router = ROUTERS.named(sketch.router)
    if not router.compresses or sketch.gamma <= 1.0 or len(ranges) == 1:
        return None
    pools = []
    for place, at in enumerate(governing):
        rate, atoms = slices[at]
        own = router.route(atoms, ranges)[place]
        if not own:
            raise InputError(
                "all its requests are rewritten for it",
                where=f"pool {sketch.pools[place].name or place + 1}",
                value=f"above {ranges[place][0]:,}, up to {ranges[place][1]:,} tokens",
                accepted="a range that some request has by itself",
            )
        pools.append(PoolTraffic(arrival_rate=rate * share(own, atoms), atoms=tuple(own)))
    return Compressing(gamma=sketch.gamma, share=sketch.compressible, pools=tuple(pools))
