"""What a fleet costs an hour: GPUs times price, or the whole nodes that hold them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from fleettui.domain.fleet import Fleet
from fleettui.domain.hardware import Profile
from fleettui.optimize.offers import Offer
from fleettui.optimize.topologies import Space
from fleettui.queueing.arrays import FloatArray


def cost_of_pools(pools: Iterable[tuple[int, Profile]], *, whole_nodes: bool) -> float:
    """Return US dollars per hour for (GPUs, profile) of each pool; pools of one GPU type share its nodes."""
    own = list(pools)
    prices = {profile.gpu: profile.price_per_hour for _, profile in own}
    return sum(count * prices[gpu] for gpu, count in taken_by_type(own, whole_nodes=whole_nodes).items())


def taken_by_type(pools: Iterable[tuple[int, Profile]], *, whole_nodes: bool) -> dict[str, int]:
    """Return the GPUs that (GPUs, profile) of each pool take by type, those of whole nodes if asked."""
    by_type: dict[str, tuple[int, Profile]] = {}
    for gpus, profile in pools:
        by_type[profile.gpu] = (gpus + by_type.get(profile.gpu, (0, profile))[0], profile)
    return {name: rented(gpus, profile) if whole_nodes else gpus for name, (gpus, profile) in by_type.items()}


def taken_by_fleet(fleet: Fleet, profiles: Sequence[Profile], *, whole_nodes: bool) -> dict[str, int]:
    """Return the GPUs that a fleet takes by type, those of whole nodes if asked; `profiles` have all its types."""
    hardware = {profile.gpu: profile for profile in profiles}
    return taken_by_type(((pool.gpus, hardware[pool.gpu]) for pool in fleet.pools), whole_nodes=whole_nodes)


def rented(gpus: int, profile: Profile) -> int:
    """Return the GPUs of the whole nodes that hold `gpus`."""
    return math.ceil(gpus / profile.gpus_per_node) * profile.gpus_per_node


def cost_of(space: Space, offers: Sequence[Offer], counts: FloatArray) -> FloatArray:
    """Return US dollars per hour of each fleet in whole nodes; `counts` are GPUs, shape (profiles, rows)."""
    prices = {one.profile.gpu: one.profile.price_per_hour for one in offers}
    cost = np.zeros(len(space.gamma))
    for name, gpus in paid_gpus(space, offers, counts).items():
        cost += np.where(np.isfinite(gpus), gpus, 0.0) * prices[name]
    return np.where(np.isfinite(space.add(counts)), cost, np.inf)


def paid_gpus(space: Space, offers: Sequence[Offer], counts: FloatArray) -> dict[str, FloatArray]:
    """Return, by GPU type, the GPUs of the whole nodes of each fleet; `counts` are GPUs, shape (profiles, rows)."""
    found = {}
    for name, node in sorted({(one.profile.gpu, one.profile.gpus_per_node) for one in offers}):
        own = np.array([one.profile.gpu == name for one in offers])
        found[name] = np.ceil(space.add(np.where(own[:, None], counts, 0.0)) / node) * node
    return found
