"""What simulations showed of pools, as far to the safe side as the formulas may err: what fleets need at best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.anchor import Anchor, SeenPool
from fleettui.domain.plan import Candidate, Look
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import seen_pools, simulated
from fleettui.planning.anchors import kinds_of
from fleettui.planning.pool_facts import DOUBTS, Known, PoolKind, Seen

LOADS = tuple(place / 20 for place in range(1, 20))
"""Utilizations at which it is worked out how far the formulas may err; between them they err as on a line."""


@dataclass(frozen=True, slots=True)
class AtBest:
    """What all that was simulated for a question showed of the formulas' error, and how far that may differ.

    It is learned of as a search at the step times predicted does (`pool_facts`).
    """

    question: Question
    known: Known

    @classmethod
    def of(cls, question: Question, rate: float, tried: Iterable[Candidate], looks: Iterable[Look]) -> AtBest:
        """Return what fleets `tried` at a rate in requests/s showed, and `looks` at other rates."""
        names, known = [limit.name for limit in question.held_limits()], Known()
        looked = ((look.rate, one) for look in looks for one in simulated([look.candidate]))
        for at, one in (*((rate, one) for one in simulated(tried)), *looked):
            pairs = zip(kinds_of(one), seen_pools(one, question, at), strict=True)
            known.learn(
                [Seen(kind=kind, utilization=pool.utilization, ratios=_in_order(pool, names)) for kind, pool in pairs]
            )
        return cls(question, known)

    def anchors(self, fleet: Candidate, expected: Sequence[Anchor]) -> tuple[Anchor, ...]:
        """Return the anchors of a fleet's pools where the formulas err to the safe side by DOUBTS times as far as seen.

        They err at least as far as `expected`, by which also goes which sizes hold.
        """
        return tuple(self._anchor(kind, own) for kind, own in zip(kinds_of(fleet), expected, strict=True))

    def _anchor(self, kind: PoolKind, expected: Anchor) -> Anchor:
        sizes = tuple(replace(one, ratios=()) for one in expected.seen)
        return Anchor(seen=(*sizes, *(self._erring(kind, expected, load) for load in LOADS)))

    def _erring(self, kind: PoolKind, expected: Anchor, load: float) -> SeenPool:
        """Return how far the formulas may err at a load, as if that was seen of no size."""
        ratios = []
        for place, limit in enumerate(self.question.held_limits()):
            ratio, doubt = self.known.ratio(kind, load, place)
            at_best = min(ratio * math.exp(-DOUBTS * doubt), expected.ratio(limit.name, load, kind.work))
            ratios.append((limit.name, at_best))
        return SeenPool(utilization=load, ratios=tuple(ratios), replicas=0, rate=0.0)


def _in_order(pool: SeenPool, names: Sequence[str]) -> tuple[float | None, ...]:
    """Return what a pool showed of each of the latencies with these names."""
    ratios = dict(pool.ratios)
    return tuple(ratios.get(name) for name in names)
