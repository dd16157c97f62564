"""The fleets of one question that a joint plan may choose from: those that no other one undercuts in every resource.

A fleet uses GPUs of several types and watts. Its cost rises with its GPUs, shared or not, in whole nodes or not; so of
two fleets one of which uses no less of anything, the other does for every joint plan. What is left holds the optimum
of every stock, budget and power cap, and is found pool by pool: a part of a fleet that is undercut leads to a fleet
that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fleettui.optimize.offers import Offer
from fleettui.optimize.ranges import Ranges
from fleettui.optimize.search import Choice
from fleettui.queueing.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """Fleets that nothing undercuts, cheapest first: GPUs by type, shape (fleets, kinds), and watts, shape (fleets,).

    `kinds` are the GPU types; `choices` the fleets as the scorer takes them, in the same order.
    """

    kinds: tuple[str, ...]
    gpus: IntArray
    watts: FloatArray
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class _Parts:
    """Fleets, or the short pools of fleets: use of shape (parts, kinds + 1), watts last, and pools as (offer, row)."""

    use: FloatArray
    offer: IntArray
    row: IntArray

    @classmethod
    def nothing(cls, kinds: int) -> _Parts:
        return cls(np.zeros((1, kinds + 1)), np.zeros((1, 0), np.int64), np.zeros((1, 0), np.int64))

    @classmethod
    def joined(cls, parts: Sequence[_Parts]) -> _Parts:
        return cls(
            np.concatenate([one.use for one in parts]),
            np.concatenate([one.offer for one in parts]),
            np.concatenate([one.row for one in parts]),
        )

    def followed_by(self, pool: _Parts) -> _Parts:
        """Return every part with every one of `pool` behind it."""
        first, second = np.indices((len(self.use), len(pool.use))).reshape(2, -1)
        return _Parts(
            self.use[first] + pool.use[second],
            np.hstack([self.offer[first], pool.offer[second]]),
            np.hstack([self.row[first], pool.row[second]]),
        )

    def pick(self, rows: IntArray) -> _Parts:
        return _Parts(self.use[rows], self.offer[rows], self.row[rows])

    def pruned(self, prices: FloatArray, *, by_power: bool) -> _Parts:
        """Return the parts that none undercuts, of equals the one that the search would rank first."""
        keys = [column for pool in range(self.offer.shape[1]) for column in (self.offer[:, pool], self.row[:, pool])]
        cost = np.round(self.use[:, :-1] @ prices, 9)
        gpus = self.use[:, :-1].sum(axis=1)
        order = np.lexsort([*([] if by_power else [self.use[:, -1]]), *reversed(keys), gpus, cost])
        return self.pick(order[undercut_by_none(self.use[order] if by_power else self.use[order][:, :-1])])


def front(
    offers: Sequence[Offer], ranges: Ranges, *, pools: Sequence[int], kinds: Sequence[str], by_power: bool
) -> Front:
    """Return the fleets with one of the numbers of `pools` that no other undercuts in GPUs of each of `kinds`.

    With `by_power` watts count as a resource too; else of fleets with the same GPUs the search's first is kept. A fleet
    is a way from length 0 to the context over `ranges`; each pool has the replicas that its offer asks for.
    """
    prices = np.array([next(one.profile.price_per_hour for one in offers if one.profile.gpu == kind) for kind in kinds])
    single = _by_range(offers, ranges, kinds, prices, by_power=by_power)
    end, waiting = int(ranges.up_to.max()), {0: {0: [_Parts.nothing(len(kinds))]}}
    for start in sorted({above for above, _ in single}):
        for count, parts in waiting.pop(start, {}).items():
            known = _Parts.joined(parts).pruned(prices, by_power=by_power)
            for (above, up_to), pool in single.items():
                if above == start and count < max(pools):
                    waiting.setdefault(up_to, {}).setdefault(count + 1, []).append(known.followed_by(pool))
    found = {count: _Parts.joined(parts) for count, parts in waiting.get(end, {}).items() if count in set(pools)}
    return _front(found, kinds, prices, by_power=by_power)


def _front(found: dict[int, _Parts], kinds: Sequence[str], prices: FloatArray, *, by_power: bool) -> Front:
    """Return the front over all topologies; of equals the one with fewer pools."""
    best = [(count, found[count].pruned(prices, by_power=by_power)) for count in sorted(found)]
    use = np.concatenate([np.zeros((0, len(kinds) + 1)), *(parts.use for _, parts in best)])
    places = [
        tuple(zip(o, r, strict=True)) for _, p in best for o, r in zip(p.offer.tolist(), p.row.tolist(), strict=True)
    ]
    counts = np.concatenate([np.zeros(0), *(np.full(len(parts.use), count) for count, parts in best)])
    cost, gpus = use[:, :-1] @ prices, use[:, :-1].sum(axis=1)
    order = np.lexsort((counts, gpus, np.round(cost, 9)))
    kept = order[undercut_by_none(use[order] if by_power else use[order][:, :-1])]
    return Front(
        kinds=tuple(kinds),
        gpus=np.rint(use[kept, :-1]).astype(np.int64),
        watts=use[kept, -1],
        choices=tuple(Choice(pools=places[i], cost=float(cost[i]), gpus=float(gpus[i])) for i in kept),
    )


def _by_range(
    offers: Sequence[Offer], ranges: Ranges, kinds: Sequence[str], prices: FloatArray, *, by_power: bool
) -> dict[tuple[int, int], _Parts]:
    """Return, by (above, up_to), the pools that may serve a range of lengths and are undercut by no other."""
    replicas, gpus = np.stack([one.replicas for one in offers]), np.stack([one.gpus for one in offers])
    watts = np.stack([one.watts for one in offers])
    column = np.array([list(kinds).index(one.profile.gpu) for one in offers])
    found = {}
    for row, bounds in enumerate(zip(ranges.above.tolist(), ranges.up_to.tolist(), strict=True)):
        holding = np.flatnonzero(np.isfinite(replicas[:, row]))
        if len(holding):
            use = np.zeros((len(holding), len(kinds) + 1))
            use[np.arange(len(holding)), column[holding]] = gpus[holding, row]
            use[:, -1] = watts[holding, row]
            parts = _Parts(use, holding[:, None], np.full((len(holding), 1), row))
            found[bounds] = parts.pruned(prices, by_power=by_power)
    return found


def undercut_by_none(use: FloatArray) -> IntArray:
    """Return the rows of `use` that no other row is nowhere above; of equal rows the first. Shape (rows, resources).

    Rows are taken by rising total, so that none can be undercut by a later one.
    """
    left = np.argsort(use.sum(axis=1), kind="stable")
    kept = []
    while len(left):
        kept.append(left[0])
        left = left[np.any(use[left] < use[left[0]], axis=1)]
    return np.sort(np.array(kept, dtype=np.int64))
