"""The fleets of one question that a joint plan may choose from: those that no other one undercuts in every resource.

A fleet uses GPUs of several types and watts. Its cost rises with its GPUs, shared or not, in whole nodes or not; so of
two fleets one of which uses no less of anything, the other does for every joint plan. What is left holds the optimum
of every stock, budget and power cap, and is found pool by pool: a part of a fleet that is undercut leads to a fleet
that is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fleettui.optimize.offers import Offer, refine
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
    """Fleets, or the short pools of fleets: use of shape (parts, kinds + 1), watts last, and pools as (offer, row).

    `busy` is how busy the busiest pool of each is, shape (parts,).
    """

    use: FloatArray
    busy: FloatArray
    offer: IntArray
    row: IntArray

    @classmethod
    def nothing(cls, kinds: int) -> _Parts:
        return cls(np.zeros((1, kinds + 1)), np.zeros(1), np.zeros((1, 0), np.int64), np.zeros((1, 0), np.int64))

    @classmethod
    def joined(cls, parts: Sequence[_Parts]) -> _Parts:
        return cls(
            np.concatenate([one.use for one in parts]),
            np.concatenate([one.busy for one in parts]),
            np.concatenate([one.offer for one in parts]),
            np.concatenate([one.row for one in parts]),
        )

    def followed_by(self, pool: _Parts) -> _Parts:
        """Return every part with every one of `pool` behind it."""
        first, second = np.indices((len(self.use), len(pool.use))).reshape(2, -1)
        return _Parts(
            self.use[first] + pool.use[second],
            np.maximum(self.busy[first], pool.busy[second]),
            np.hstack([self.offer[first], pool.offer[second]]),
            np.hstack([self.row[first], pool.row[second]]),
        )

    def pick(self, rows: IntArray) -> _Parts:
        return _Parts(self.use[rows], self.busy[rows], self.offer[rows], self.row[rows])

    def places(self) -> set[tuple[int, int]]:
        """Return all pools in any of the parts."""
        return set(zip(self.offer.ravel().tolist(), self.row.ravel().tolist(), strict=True))

    def pruned(self, prices: FloatArray, *, by_power: bool) -> _Parts:
        """Return the parts that none undercuts, of equals the one that the search would rank first."""
        keys = [column for pool in range(self.offer.shape[1]) for column in (self.offer[:, pool], self.row[:, pool])]
        cost = np.round(self.use[:, :-1] @ prices, 9)
        gpus = self.use[:, :-1].sum(axis=1)
        order = np.lexsort([*reversed(keys), np.round(self.busy, 9), gpus, cost])
        return self.pick(order[undercut_by_none(self.use[order] if by_power else self.use[order][:, :-1])])


def front(
    offers: Sequence[Offer],
    ranges: Ranges,
    *,
    pools: Sequence[int],
    kinds: Sequence[str],
    by_power: bool,
    least_gamma: float = 1.0,
) -> Front:
    """Return the fleets with one of the numbers of `pools` that no other undercuts in GPUs of each of `kinds`.

    With `by_power` watts count as a resource too; else of fleets with the same GPUs the search's first is kept. A fleet
    is a way from length 0 to the context over `ranges` of one gamma, at least `least_gamma` where it has several pools;
    each pool has the replicas that its offer asks for. Ranges that are only bounded are sized as far as the front
    needs it: what a sized fleet undercuts as bounded it undercuts as sized too, since a bound is never above the size.
    """
    prices = np.array([next(one.profile.price_per_hour for one in offers if one.profile.gpu == kind) for kind in kinds])
    shelf = _Shelf(offers=offers, ranges=ranges, kinds=tuple(kinds), prices=prices, by_power=by_power)
    shelf.fill(range(len(ranges.above)))
    ends = np.flatnonzero((ranges.above == 0) | (ranges.up_to == ranges.up_to.max()))
    bounded = ends[ends >= ranges.simple].tolist()
    while len(shelf.refined(bounded)):  # all at once: most of the fleets of two pools are close to one another
        pass
    counts = {gamma: {one for one in pools if gamma >= least_gamma or one == 1} for gamma in ranges.factors}
    fleets: dict[float, list[_Parts]] = {}
    altered = set(ranges.factors)
    while altered:
        fleets |= {gamma: shelf.fleets(gamma, counts[gamma]) for gamma in altered}
        found = shelf.front([one for gamma in ranges.factors for one in fleets[gamma]])
        changed = shelf.refined({row for choice in found.choices for _, row in choice.pools})
        altered = set(ranges.gamma[changed].tolist())
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shelf:
    """By row of `ranges` the pools that may serve it and are undercut by no other, as far as their sizes are known."""

    offers: Sequence[Offer]
    ranges: Ranges
    kinds: tuple[str, ...]
    prices: FloatArray
    by_power: bool
    pools: dict[int, _Parts] = field(default_factory=dict)

    def fill(self, rows: Iterable[int]) -> None:
        """Look at the offers for `rows`, again or for the first time."""
        replicas, gpus = np.stack([one.replicas for one in self.offers]), np.stack([one.gpus for one in self.offers])
        watts, busy = np.stack([one.watts for one in self.offers]), np.stack([one.busy for one in self.offers])
        column = np.array([self.kinds.index(one.profile.gpu) for one in self.offers])
        for row in map(int, rows):
            holding = np.flatnonzero(np.isfinite(replicas[:, row]))
            use = np.zeros((len(holding), len(self.kinds) + 1))
            use[np.arange(len(holding)), column[holding]] = gpus[holding, row]
            use[:, -1] = watts[holding, row]
            parts = _Parts(use, busy[holding, row], holding[:, None], np.full((len(holding), 1), row))
            self.pools[row] = parts.pruned(self.prices, by_power=self.by_power)

    def refined(self, rows: Iterable[int]) -> IntArray:
        """Size the pools of `rows` that are only bounded; return the rows that had any."""
        changed = refine(self.offers, {pool for row in rows for pool in self.pools[row].places()})
        self.fill(changed)
        return changed

    def fleets(self, gamma: float, counts: Collection[int]) -> list[_Parts]:
        """Return the fleets of one gamma, those of each number of pools of `counts` that has any together.

        A pool that is too narrow for all that is compressed into the one before is in no fleet: its range is empty.
        """
        end, most = int(self.ranges.up_to.max()), max(counts, default=0)
        starts: dict[int, list[int]] = {}
        for row in np.flatnonzero(self.ranges.gamma == gamma).tolist():
            starts.setdefault(int(self.ranges.above[row]), []).append(row)
        waiting = {0: {0: [_Parts.nothing(len(self.kinds))]}}
        for start in sorted(starts):
            for count, parts in waiting.pop(start, {}).items():
                known = _Parts.joined(parts).pruned(self.prices, by_power=self.by_power)
                for row in starts[start]:
                    up_to, pool = int(self.ranges.up_to[row]), self.pools[row]
                    if len(pool.use) and (count + 1 < most or (count + 1 == most and up_to == end)):
                        waiting.setdefault(up_to, {}).setdefault(count + 1, []).append(known.followed_by(pool))
        found = waiting.get(end, {})
        wanted = (_Parts.joined(found[count]) for count in sorted(found) if count in counts)
        return [one.pruned(self.prices, by_power=self.by_power) for one in wanted]

    def front(self, fleets: Sequence[_Parts]) -> Front:
        """Return the front of `fleets`; of equals the one of fewer pools, the least gamma, the least busy."""
        use = np.concatenate([np.zeros((0, len(self.kinds) + 1)), *(parts.use for parts in fleets)])
        places = [
            tuple(zip(offer, row, strict=True))
            for parts in fleets
            for offer, row in zip(parts.offer.tolist(), parts.row.tolist(), strict=True)
        ]
        counts = np.array([len(pools) for pools in places])
        gamma = np.array([self.ranges.gamma[pools[0][1]] for pools in places])
        cost, gpus = use[:, :-1] @ self.prices, use[:, :-1].sum(axis=1)
        busy = np.concatenate([np.zeros(0), *(parts.busy for parts in fleets)])
        order = np.lexsort((np.round(busy, 9), gamma, counts, gpus, np.round(cost, 9)))
        kept = order[undercut_by_none(use[order] if self.by_power else use[order][:, :-1])]
        return Front(
            kinds=self.kinds,
            gpus=np.rint(use[kept, :-1]).astype(np.int64),
            watts=use[kept, -1],
            choices=tuple(
                Choice(pools=places[i], cost=float(cost[i]), gpus=float(gpus[i]), gamma=float(gamma[i])) for i in kept
            ),
        )


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
