"""Ranges of total length that a pool may serve, and what one replica of a profile does for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fleettui.domain.fleet import WATERMARK
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.hardware.step_cost import affine
from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.batching import Service
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.moments import Atoms, RequestTable
from fleettui.queueing.ranges import RangeTable

HALF_BLOCK = 8.0  # tokens: the last block of a sequence is half full on average


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranges:
    """Length ranges (above, up_to] with the context a pool serving them must offer; arrays of shape (ranges,).

    Row 0 is everything; rows 1..J the part up to each split, rows J+1..2J the part above it.
    """

    above: IntArray
    up_to: IntArray

    @classmethod
    def of(cls, splits: Sequence[int], context: int) -> Ranges:
        """Return the whole range and both sides of each split below `context`."""
        cuts = np.asarray([split for split in splits if split < context], dtype=np.int64)
        ends = np.full(len(cuts), context, dtype=np.int64)
        return cls(
            above=np.concatenate([[0], np.zeros_like(cuts), cuts]),
            up_to=np.concatenate([[context], cuts, ends]),
        )

    @property
    def splits(self) -> IntArray:
        """The splits, shape (J,)."""
        return self.up_to[1 : 1 + len(self.up_to) // 2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Demanded:
    """One time slice: requests per second, and their lengths cut into the ranges."""

    rate: float
    table: RangeTable

    @classmethod
    def of(cls, rate: float, atoms: Atoms, ranges: Ranges, *, chunk: int, prefix_hit: float) -> Demanded:
        """Cut `atoms`, arriving at `rate` per second, into `ranges`."""
        requests = RequestTable.of(atoms, chunk=chunk, prefix_hit=prefix_hit)
        return cls(rate=rate, table=RangeTable.of(requests, ranges.above, ranges.up_to))

    def load(self, service: Service, rows: IntArray, replicas: FloatArray) -> PoolLoad:
        """Return the load of `rows` under `service` (already of those rows) with `replicas` each."""
        return PoolLoad(self.table, rows, service, self.rate * self.table.moments.share[rows], replicas)


def concurrency(profile: Profile, demanded: Demanded, ranges: Ranges, question: Question) -> FloatArray:
    """Return the sequences that one replica of `profile` runs at once, per range; 0 where a request cannot fit.

    `paged` shares the blocks by what sequences hold on average; `reserved` keeps a place for the pool's whole context
    (model.md §8). Both are capped by the engine's own limit and by one token per sequence and step.
    """
    cap = float(min(question.max_num_seqs, question.token_budget))
    blocks, size = profile.kv_blocks, profile.block_size
    if question.admission == "reserved":
        places = blocks // np.ceil(ranges.up_to / size)
    else:
        held = demanded.table.moments.mean_context + HALF_BLOCK
        places = np.floor((1.0 - WATERMARK) * size * blocks / held)
    fits = demanded.table.occupied & (demanded.table.longest <= (1.0 - WATERMARK) * size * blocks)
    return np.where(fits, np.minimum(places, cap), 0.0)


def service(profile: Profile, demanded: Demanded, rows: IntArray, places: FloatArray, question: Question) -> Service:
    """Return what one replica of `profile` does for the ranges `rows` at `places` sequences each."""
    moments = demanded.table.moments.pick(rows)
    base, per_context, per_prompt = affine(
        profile.step,
        concurrency=places,
        mean_context=moments.mean_context,
        mean_pairs_per_prompt_token=moments.pairs / moments.uncached,
    )
    return Service(
        base=np.broadcast_to(base, places.shape),
        per_context=np.broadcast_to(per_context, places.shape),
        per_prompt=np.broadcast_to(per_prompt, places.shape),
        concurrency=places,
        token_budget=np.full(places.shape, float(question.token_budget)),
    )
