"""What Compress-and-Route moves across a split, as sums over requests, for many splits and factors at once.

Of the requests with B < L ≤ γB and L_out < B the share p_c is rewritten to L_in = B − L_out and joins the pool below B
with its work counted; the others keep their lengths (model.md §8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.moments import RequestTable, request_columns

COLUMNS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """Weighted sums of `request_columns` of what is moved, shape (15, factors, splits).

    `leaving` are the requests as the longer pool would have served them, `joining` as the shorter one does.
    """

    leaving: FloatArray
    joining: FloatArray

    @classmethod
    def of(
        cls, table: RequestTable, splits: Sequence[int] | IntArray, factors: Sequence[float], compressible: float
    ) -> Moved:
        """Sum over the atoms of `table`, which is in order of total length."""
        shape = (COLUMNS, len(factors), len(splits))
        moved = cls(leaving=np.zeros(shape), joining=np.zeros(shape))
        for place, split in enumerate(splits):
            ends = [int(np.searchsorted(table.total, int(factor * split), side="right")) for factor in factors]
            first = int(np.searchsorted(table.total, split, side="right"))
            own = slice(first, max([first, *ends]))
            output = table.output[own]
            weight = compressible * table.weight[own] * (split - output >= 1.0)
            before = request_columns(table.prompt[own], output, chunk=table.chunk, prefix_hit=table.prefix_hit)
            rewritten = np.maximum(split - output, 1.0)
            after = request_columns(rewritten, output, chunk=table.chunk, prefix_hit=table.prefix_hit)
            for sums, columns in ((moved.leaving, before), (moved.joining, after)):
                running = np.zeros((COLUMNS, len(output) + 1))
                np.cumsum(columns * weight, axis=1, out=running[:, 1:])
                sums[:, :, place] = running[:, np.maximum(np.array(ends, np.int64) - first, 0)]
        return moved
