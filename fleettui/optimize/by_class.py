"""What pools serve behind a router that sends class batch to the last one, so that others hold interactive ones alone.

A class says nothing of a request's lengths: a share of those of every length is of class batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fleettui.domain.simulation import PoolTraffic
from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.classes import ByClass
from fleettui.queueing.moments import Moments
from fleettui.routing import ROUTERS


def sends_by_class(router: str, pools: int, batch_share: float | None) -> bool:
    """Return whether a request's class decides to which of so many pools a router sends it."""
    return pools > 1 and bool(batch_share) and ROUTERS.named(router).of_classes


@dataclass(frozen=True, slots=True)
class Sent:
    """What ranges of lengths serve, of both classes, and the share of it that is of class batch; shape (ranges,)."""

    served: Moments
    batch_share: FloatArray

    @classmethod
    def by_class(
        cls, sums: FloatArray, splits: Iterable[tuple[IntArray, IntArray]], shorter: np.ndarray, share: float
    ) -> Sent:
        """Return what ranges serve whose own requests add up to `sums`, where a `share` of them is of class batch.

        `splits` are the ranges below and above each split: class batch of both is served above. The `shorter` ranges,
        those of other pools than the last, serve none of it.
        """
        found, batch_share = sums.copy(), np.full(sums.shape[1], share)
        found[:, shorter] *= 1.0 - share
        batch_share[shorter] = 0.0
        for below, above in splits:
            found[:, above] += share * sums[:, below]
            with np.errstate(invalid="ignore"):
                batch_share[above] = share * (sums[0, below] + sums[0, above]) / found[0, above]
        return cls(Moments.of_sums(found), batch_share)

    def load(self, rows: IntArray, everything: int) -> ByClass:
        """Return what loads of `rows` serve, whose table has the lengths of all requests in the row `everything`."""
        return ByClass(self.served.pick(rows), np.full(len(rows), everything))


def served_by(own: PoolTraffic, everything: PoolTraffic, share: float, *, last: bool) -> PoolTraffic:
    """Return what a pool serves of `everything` that comes, its `own` lengths among that, a `share` of class batch."""
    interactive = own.arrival_rate * (1.0 - share)
    if not last:
        return PoolTraffic(arrival_rate=interactive, atoms=own.atoms, batch_share=0.0)
    batch = everything.arrival_rate * share
    parts = (interactive, own.atoms), (batch, everything.atoms)
    totals = [sum(atom[0] for atom in atoms) for _, atoms in parts]
    atoms = tuple(
        (rate / total * weight, prompt, output)
        for (rate, atoms), total in zip(parts, totals, strict=True)
        for weight, prompt, output in atoms
    )
    rate = interactive + batch
    return PoolTraffic(arrival_rate=rate, atoms=atoms, batch_share=batch / rate)
