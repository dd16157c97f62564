"""What each pool is sent: its share of the requests, and what comes before a router that rewrites some of them."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.fleet import FleetSketch
from fleettui.domain.simulation import Compressing, PoolTraffic
from fleettui.errors import InputError
from fleettui.optimize.ranges import Slices
from fleettui.queueing.moments import Atoms
from fleettui.routing import ROUTERS
from fleettui.routing.router import Ranges


def share(part: Atoms, atoms: Atoms) -> float:
    """Return the share of the requests `atoms` that those of `part` are."""
    return sum(atom[0] for atom in part) / sum(atom[0] for atom in atoms)


def compressing_of(sketch: FleetSketch, ranges: Ranges, slices: Slices, governing: Sequence[int]) -> Compressing | None:
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
