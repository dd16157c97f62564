"""What a fleet costs an hour: GPUs times price, or the whole nodes that hold them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from fleettui.domain.hardware import Profile
from fleettui.optimize.offers import Offer
from fleettui.optimize.spaces import Space
from fleettui.queueing.arrays import FloatArray


def cost_of_pools(pools: Iterable[tuple[int, Profile]], *, whole_nodes: bool) -> float:
    """Return US dollars per hour for (GPUs, profile) of each pool; pools of one GPU type share its nodes."""
    if not whole_nodes:
        return sum(gpus * profile.price_per_hour for gpus, profile in pools)
    by_type: dict[str, tuple[int, Profile]] = {}
    for gpus, profile in pools:
        by_type[profile.gpu] = (gpus + by_type.get(profile.gpu, (0, profile))[0], profile)
    return sum(rented(gpus, profile) * profile.price_per_hour for gpus, profile in by_type.values())


def rented(gpus: int, profile: Profile) -> int:
    """Return the GPUs of the whole nodes that hold `gpus`."""
    return math.ceil(gpus / profile.gpus_per_node) * profile.gpus_per_node


def cost_of(space: Space, offers: Sequence[Offer], counts: FloatArray) -> FloatArray:
    """Return US dollars per hour of each fleet in whole nodes; `counts` are GPUs, shape (profiles, rows)."""
    cost = np.zeros(len(space.gamma))
    for name in sorted({one.profile.gpu for one in offers}):
        own = np.array([one.profile.gpu == name for one in offers])
        profile = next(one.profile for one in offers if one.profile.gpu == name)
        gpus = space.add(np.where(own[:, None], counts, 0.0))
        cost += np.ceil(gpus / profile.gpus_per_node) * profile.gpus_per_node * profile.price_per_hour
    return cost
