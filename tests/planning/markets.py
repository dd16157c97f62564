"""Synthetic fleets on which the formulas err, each by a factor of its own, and what a wide question must find there."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fleettui.domain.plan import Candidate
from fleettui.planning.pool_facts import DOUBTS, Known
from fleettui.planning.settled import Settled
from fleettui.planning.smallest_fleet import settle
from fleettui.planning.trial import Trial
from fleettui.planning.walk import ROOM, Sizes, Walk
from tests.planning.trials import curves, scaled, shape

LIMIT = 0.85
CASES = 150
DEARER = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Market:
    """Fleets by formula, cheapest first, and by pool the factor by which its latencies are longer in truth."""

    shapes: tuple[Candidate, ...]
    errors: dict[str, float]

    @classmethod
    def drawn(cls, seed: int) -> Market:
        """Draw two or three GPU types with fleets of one and two pools; errors differ by type and by pool."""
        draw = random.Random(seed)
        shapes, errors, common = [], {}, draw.uniform(-0.2, 0.8)
        for gpu in ("a100", "h100", "b200")[: draw.choice((2, 3))]:
            price, size = draw.uniform(1.0, 3.0), draw.randint(4, 30)
            price *= 20.0 / size / price ** draw.uniform(0.8, 1.0)
            first = draw.randint(1, size - 1)
            for sizes in ((size,), (first, max(1, size - first - draw.choice((-1, 0, 1))))):
                shapes.append(_to_the_longest(shape(*sizes, gpu=gpu, price=price, work=[0.3 * one for one in sizes])))
                for place in range(len(sizes)):
                    errors[_name(shapes[-1], place)] = math.exp(common + draw.uniform(-0.12, 0.12))
        return cls(shapes=tuple(sorted(shapes, key=lambda one: one.cost_per_hour)), errors=errors)

    def needs(self, one: Candidate) -> Sizes:
        """Return the fewest replicas that hold in truth."""
        own = enumerate(one.fleet.pools)
        return tuple(math.ceil(self.errors[_name(one, place)] * pool.replicas - 1e-9) for place, pool in own)

    async def attempt(self, one: Candidate, sizes: Sizes) -> Trial:
        """Simulate a fleet at other sizes."""
        pools = zip(one.fleet.pools, sizes, strict=True)
        shares = [self.errors[_name(one, place)] * pool.replicas / size for place, (pool, size) in enumerate(pools)]
        return Trial(
            candidate=scaled(one, sizes, price=one.cost_per_hour / sum(pool.replicas for pool in one.fleet.pools)),
            pools=tuple("pass" if share <= 1.0 + 1e-9 else "fail" for share in shares),
            utilization=(0.3,) * len(sizes),
            shares=tuple((share,) for share in shares),
        )

    async def answer(self, shapes: Sequence[Candidate]) -> Settled:
        """Search among some of the fleets."""
        return await settle([(one, curves(one)) for one in shapes], self.attempt, max_utilization=LIMIT)

    def narrower(self) -> list[list[Candidate]]:
        """Return the fleets of the same question asked for one GPU type, one number of pools, or both."""
        kinds = sorted({_gpu(one) for one in self.shapes})
        by_pools = [[one for one in self.shapes if len(one.pools) == count] for count in (1, 2)]
        return [*by_pools, *([one for one in self.shapes if _gpu(one) == gpu] for gpu in kinds)] + [
            [one] for one in self.shapes
        ]


def _to_the_longest(one: Candidate) -> Candidate:
    """Return a fleet whose last pool serves up to the longest request, whatever the number of pools."""
    *others, last = one.fleet.pools
    return replace(one, fleet=replace(one.fleet, pools=(*others, replace(last, up_to=9000, context=9000))))


def _gpu(one: Candidate) -> str:
    return one.fleet.pools[0].gpu


def _name(one: Candidate, place: int) -> str:
    return f"{_gpu(one)} {place} of {len(one.pools)}"


def cost(found: Settled) -> float:
    assert found.answer is not None
    return found.answer.candidate.cost_per_hour


def conceivable(found: Settled, one: Candidate, sizes: Sizes) -> bool:
    """Return whether a fleet could hold within the error that the search has seen."""
    known: Known = found.walks[0].known
    walk = Walk.of(one, curves(one), known, max_utilization=LIMIT)
    return all(walk.strain(place, size, DOUBTS) <= ROOM for place, size in enumerate(sizes))
