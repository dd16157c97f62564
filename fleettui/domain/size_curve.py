"""What the formulas say of a pool by its size: what a search by simulation corrects, and chooses by."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from fleettui.domain.meter import feed
from fleettui.domain.scenario import Question

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeCurve:
    """A pool at each of `sizes`, replicas that rise; between two of them a straight line.

    `gpus` are those of the spare replicas too, `watts` those of the whole pool. `shares` has a row per limit of the
    question, in its order: the latency by formula as a share of the limit. `price` is US dollars per GPU-hour of GPUs
    of type `gpu`, which are paid in lots of `lot`.
    """

    gpu: str
    price: float
    lot: int
    sizes: tuple[int, ...]
    gpus: tuple[float, ...]
    watts: tuple[float, ...]
    shares: tuple[tuple[float, ...], ...]

    def share(self, limit: int, size: int) -> float:
        """Return the latency of the limit with this number at a size, as a share of the limit."""
        return self._between(self.shares[limit], size)

    def strain(self, size: int) -> float:
        """Return the largest share of a limit at a size; of a curve that tells of none about how busy the pool is."""
        return max((self.share(limit, size) for limit in range(len(self.shares))), default=self.sizes[0] / size)

    def gpus_at(self, size: int) -> float:
        """Return the pool's GPUs at a size."""
        return self._in_proportion(self.gpus, size)

    def watts_at(self, size: int) -> float:
        """Return the watts that the pool draws at a size."""
        return self._in_proportion(self.watts, size)

    def _in_proportion(self, values: Sequence[float], size: int) -> float:
        """Return what is between two sizes, or beyond the last grows with the size."""
        return self._between(values, size) * max(1.0, size / self.sizes[-1])

    def _between(self, values: Sequence[float], size: int) -> float:
        place = bisect_left(self.sizes, size)
        if place == len(self.sizes):
            return values[-1]
        if place == 0 or self.sizes[place] == size:
            return values[place]
        left, right = self.sizes[place - 1], self.sizes[place]
        if not math.isfinite(values[place - 1]):
            return values[place - 1]
        return values[place - 1] + (values[place] - values[place - 1]) * (size - left) / (right - left)


def within_constraints(curves: Sequence[SizeCurve], sizes: Sequence[int], question: Question) -> bool:
    """Return whether pools at these sizes keep a question's constraints on money, power and stock, by the formulas."""
    return not constraints_broken(curves, sizes, question)


def constraints_broken(curves: Sequence[SizeCurve], sizes: Sequence[int], question: Question) -> frozenset[str]:
    """Return the names of a question's constraints that pools at these sizes break, by the formulas."""
    gpus = _taken(curves, sizes)
    watts = sum(curve.watts_at(size) for curve, size in zip(curves, sizes, strict=True))
    uses = (
        ("budget", cost_of_sizes(curves, sizes), question.budget),
        ("power", watts, question.max_power),
        ("feed", _feed(curves, sizes, watts, question), question.max_feed),
        ("GPUs", sum(gpus.values()), question.max_total_gpus),
        *((f"inventory of {gpu}", gpus.get(gpu, 0.0), count) for gpu, count in question.max_gpus),
    )
    return frozenset(name for name, used, most in uses if most is not None and used > most * (1.0 + ROUNDING))


def _feed(curves: Sequence[SizeCurve], sizes: Sequence[int], watts: float, question: Question) -> float:
    return feed(question, watts, sum(curve.gpus_at(size) for curve, size in zip(curves, sizes, strict=True)))


def cost_of_sizes(curves: Sequence[SizeCurve], sizes: Sequence[int]) -> float:
    """Return US dollars per hour of pools at these sizes; pools of one GPU type share its lots."""
    prices = {curve.gpu: curve.price for curve in curves}
    return sum(prices[gpu] * count for gpu, count in _taken(curves, sizes).items())


def paid_beyond(curves: Sequence[SizeCurve], sizes: Sequence[int]) -> int | None:
    """Return the GPUs that are paid for in whole lots at these sizes, None where these are no more than the pools'."""
    own = sum(curve.gpus_at(size) for curve, size in zip(curves, sizes, strict=True))
    paid = sum(_taken(curves, sizes).values())
    return round(paid) if paid > own + ROUNDING else None


def fills_nodes(question: Question) -> bool:
    """Return whether fleets of a question use all of the whole nodes that they pay for: more costs nothing then.

    In a closed loop they do not: more replicas bring more requests.
    """
    return question.whole_nodes and question.objective == "cost" and question.demand.form != "concurrency"


def filled(curves: Sequence[SizeCurve], sizes: Sequence[int], question: Question) -> tuple[int, ...]:
    """Return pools at these sizes with as many replicas more as their whole nodes hold, where a question fills these.

    Each goes to the pool that comes nearest to a limit by its curve, or where that tells of none is the busiest, of
    those that it may go to by the question's constraints.
    """
    found, paid = tuple(sizes), _taken(curves, sizes)
    while fills_nodes(question):
        strain = [curve.strain(size) for curve, size in zip(curves, found, strict=True)]
        ranked = sorted(range(len(found)), key=lambda place: -strain[place])
        larger = [(*found[:place], found[place] + 1, *found[place + 1 :]) for place in ranked]
        free = [one for one in larger if _taken(curves, one) == paid and within_constraints(curves, one, question)]
        if not free:
            break
        found = free[0]
    return found


def _taken(curves: Sequence[SizeCurve], sizes: Sequence[int]) -> dict[str, float]:
    """Return the GPUs that pools take by type, in whole lots."""
    lots = {curve.gpu: curve.lot for curve in curves}
    taken = dict.fromkeys(lots, 0.0)
    for curve, size in zip(curves, sizes, strict=True):
        taken[curve.gpu] += curve.gpus_at(size)
    return {gpu: math.ceil(count / lots[gpu] - ROUNDING) * lots[gpu] for gpu, count in taken.items()}
