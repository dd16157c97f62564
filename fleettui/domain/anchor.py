"""What simulations showed of a pool: by how much its latencies differ from the formulas', and which sizes hold."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

FADING = 0.5
"""The correction, as a logarithm, grows with this power of the load: without load the formulas err little."""
MOST_MORE = 4.0
"""A pool that is busier by more than this factor is corrected as if it were not."""

ALIKE = 0.1
"""Requests of two pools are alike that take work of a replica within so much of its logarithm."""

NEARLY = 0.02
"""Share of a rate within which a simulation at another is one at it: a latency has no sudden change there."""
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPool:
    """A pool as it was simulated. `utilization` is the formula's; `ratios` are (latency's name, simulated latency over
    the formula's). `passed` is None where nothing was said of it; `rate` is the fleet's, in requests per second. `work`
    is what a request takes of a replica in seconds, 0 where that is not known.
    """

    utilization: float
    ratios: tuple[tuple[str, float], ...]
    replicas: int
    rate: float
    passed: bool | None = None
    work: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """All that is known of one pool of a fleet, at several sizes and rates; empty where it was never simulated."""

    seen: tuple[SeenPool, ...] = ()

    def ratios(self, latency: str, work: float = 0.0) -> tuple[tuple[float, float], ...]:
        """Return (utilization, simulated over the formula's) of the latency with this name, the idlest pool first.

        Of pools of unlike requests those alone whose `work` per request is nearest, where it is known.
        """
        known = [one for one in self.seen if latency in dict(one.ratios)]
        if 0.0 < work < math.inf and all(one.work > 0.0 for one in known):
            unlike = [abs(math.log(one.work / work)) for one in known]
            nearest = min(unlike, default=0.0) + ALIKE
            known = [one for one, distance in zip(known, unlike, strict=True) if distance <= nearest]
        return tuple(sorted({one.utilization: dict(one.ratios)[latency] for one in known}.items()))

    def ratio(self, latency: str, utilization: float, work: float = 0.0) -> float:
        """Return how long a latency is over the formula's at a load: between two that were seen on a line of its
        logarithm, beyond them by the nearest. `work` is what a request takes of a replica in seconds.
        """
        known = self.ratios(latency, work)
        if not known:
            return 1.0
        place = bisect_left(known, (utilization, 0.0))
        if 0 < place < len(known):
            (low, before), (high, after) = known[place - 1 : place + 1]
            return float(before * (after / before) ** ((utilization - low) / (high - low)))
        seen, ratio = known[min(place, len(known) - 1)]
        return faded(ratio, min(utilization / seen, MOST_MORE))

    def least(self, rate: float) -> int:
        """Return the fewest replicas that are not known to be too few at a rate in requests/s of the whole fleet.

        What is not proven in a few runs is no more where as few replicas hold as high a rate in more.
        """
        at = rate * (1.0 + ROUNDING)
        held = [(one.replicas, one.rate) for one in self.seen if one.passed]
        few = (one for one in self.seen if one.passed is False and one.rate <= at)
        return 1 + max((one.replicas for one in few if not _is_outdone(one, held)), default=0)

    def most(self, rate: float) -> float:
        """Return the fewest replicas above those that are known to hold at a rate, infinite where none are."""
        least, at = self.least(rate), rate * (1.0 - ROUNDING)
        passed = (one.replicas for one in self.seen if one.passed and one.rate >= at and one.replicas >= least)
        return min(passed, default=math.inf)

    def was_seen(self, replicas: int, rate: float, within: float = NEARLY) -> bool:
        """Return whether so many replicas were simulated `within` this share of a rate."""
        return any(one.replicas == replicas and abs(one.rate / rate - 1.0) <= within for one in self.seen)

    def without_between(self, loads: Sequence[tuple[float, ...]]) -> Anchor:
        """Return what is left without the ratios seen at loads between the two of any pair."""
        return Anchor(
            seen=tuple(
                replace(one, ratios=()) if any(low < one.utilization < high for low, high in loads) else one
                for one in self.seen
            )
        )

    def too_small(self, replicas: int, rate: float) -> Anchor:
        """Return the same where so many replicas are too few from a rate in requests/s on, whatever passed beyond."""
        seen = (
            replace(one, passed=None) if one.passed and one.replicas <= replicas and one.rate >= rate else one
            for one in self.seen
        )
        few = SeenPool(utilization=0.0, ratios=(), replicas=replicas, rate=rate, passed=False)
        return Anchor(seen=tuple(dict.fromkeys((*seen, few))))

    @property
    def elsewhere(self) -> Anchor:
        """What is left under other requests or engines than were simulated: the ratios, but not which sizes hold."""
        return Anchor(seen=tuple(replace(one, passed=None) for one in self.seen))


def _is_outdone(failed: SeenPool, held: Sequence[tuple[int, float]]) -> bool:
    """Return whether no more replicas than failed hold no lower rate."""
    return any(replicas <= failed.replicas and rate >= failed.rate for replicas, rate in held)


NOTHING_SEEN = Anchor()


def with_more(known: tuple[Anchor, ...], more: tuple[Anchor, ...]) -> tuple[Anchor, ...]:
    """Return what is known of each pool of a fleet by either, each thing once; `more` may be empty."""
    if not more:
        return known
    pairs = zip(known, more, strict=True)
    return tuple(Anchor(seen=tuple(dict.fromkeys((*one.seen, *other.seen)))) for one, other in pairs)


def faded(ratio: float, load: float) -> float:
    """Return the ratio of a simulated latency to the formula's at so many times the load at which it was seen."""
    return float(ratio ** (load**FADING))
