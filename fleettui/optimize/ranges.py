"""Ranges of total length that a pool may serve, and what one replica of a profile does for each of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fleettui.domain.fleet import WATERMARK, PoolProfile
from fleettui.domain.hardware import Profile, StepTable
from fleettui.domain.scenario import Question
from fleettui.domain.speculation import NO_DRAFTS, Speculation
from fleettui.hardware.step_cost import affine
from fleettui.hardware.table_cost import TableLines
from fleettui.optimize.bursts import bursts_of
from fleettui.optimize.by_class import Sent
from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.bursts import Bursts
from fleettui.queueing.classes import Classes
from fleettui.queueing.compression import Moved
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.moments import Atoms, Moments, RequestTable
from fleettui.queueing.pipeline import stall
from fleettui.queueing.ranges import RangeTable
from fleettui.queueing.service import Service, Steps
from fleettui.routing import ROUTERS, length_pools
from fleettui.scheduling import SCHEDULERS

Slices = Sequence[tuple[float, Atoms]]
"""(requests per second, atoms) per stretch of time."""

LEAST_SHARE = 1e-12  # of all requests; what rounding leaves of a range whose requests are all compressed


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranges:
    """Length ranges (above, up_to] with the context a pool serving them must offer; arrays of shape (ranges,).

    Row 0 is everything; rows 1..J the part up to each of the J splits, rows J+1..2J the part above it. Then come, for
    fleets of more than two pools, the parts between any two of `cuts`, which are positions in `splits`; then for each
    further of `factors` the parts below, above and between under Compress-and-Route by that `gamma`.
    """

    above: IntArray
    up_to: IntArray
    gamma: FloatArray
    splits: IntArray
    cuts: IntArray
    factors: tuple[float, ...]

    @classmethod
    def of(
        cls, splits: Sequence[int], context: int, *, cuts: Sequence[int] = (), factors: Sequence[float] = (1.0,)
    ) -> Ranges:
        """Return the ranges that `splits` below `context` make; the first of `factors` is 1, no compression."""
        ends = np.asarray([split for split in splits if split < context], dtype=np.int64)
        inner = np.asarray([cut for cut in cuts if cut < len(ends)], dtype=np.int64)
        low, high = (ends[inner[side]] for side in np.triu_indices(len(inner), 1))
        zero, last = np.zeros_like(ends), np.full_like(ends, context)
        plain = (np.concatenate([[0], zero, ends, low]), np.concatenate([[context], ends, last, high]))
        again = (np.concatenate([zero, ends, low]), np.concatenate([ends, last, high]))
        more = len(factors) - 1
        return cls(
            above=np.concatenate([plain[0], np.tile(again[0], more)]).astype(np.int64),
            up_to=np.concatenate([plain[1], np.tile(again[1], more)]).astype(np.int64),
            gamma=np.concatenate([np.ones(len(plain[0])), np.repeat(np.asarray(factors[1:], float), len(again[0]))]),
            splits=ends,
            cuts=inner,
            factors=tuple(factors),
        )

    @property
    def key(self) -> tuple[bytes, ...]:
        """What tells these ranges from any others."""
        return tuple(one.tobytes() for one in (self.above, self.up_to, self.gamma, self.splits, self.cuts))

    @property
    def simple(self) -> int:
        """How many rows fleets of one and two pools without compression have: the first ones."""
        return 1 + 2 * len(self.splits)

    def below(self, factor: int | IntArray) -> IntArray:
        """Return the rows up to each split under the factor at that position, shape (J,); factors broadcast."""
        return np.asarray(factor * self._apiece + 1 + np.arange(len(self.splits)))

    def beyond(self, factor: int | IntArray) -> IntArray:
        """Return the rows above each split, shape (J,)."""
        return self.below(factor) + len(self.splits)

    def between(self, factor: int) -> IntArray:
        """Return the rows between any two cuts, shape (cuts, cuts), -1 where the second is not above the first."""
        count = len(self.cuts)
        rows = np.full((count, count), -1, dtype=np.int64)
        upper = np.triu_indices(count, 1)
        rows[upper] = factor * self._apiece + 1 + 2 * len(self.splits) + np.arange(len(upper[0]))
        return rows

    def of_fleet(self, factor: int) -> tuple[int, ...]:
        """Return the row of each pool of the fleet that divides at every split, all of which are cuts, or at none."""
        if not len(self.splits):
            return (0,)
        between = self.between(factor)
        middle = [between[place, place + 1] for place in range(len(self.cuts) - 1)]
        return tuple(int(row) for row in (self.below(factor)[0], *middle, self.beyond(factor)[-1]))

    @property
    def sides(self) -> list[tuple[IntArray, IntArray]]:
        """The rows below and above each split, under each factor."""
        return [(self.below(place), self.beyond(place)) for place in range(len(self.factors))]

    @property
    def _apiece(self) -> int:
        """How many rows each factor has."""
        return 2 * len(self.splits) + len(self.cuts) * (len(self.cuts) - 1) // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Demanded:
    """One time slice: requests per second and their lengths cut into the ranges; arrays of shape (ranges,).

    `table` holds the simple rows. `longest` are tokens, 0 where a range is empty. `compressible` is the share of
    requests that can be compressed, `one_queue` whether a pool's replicas serve one queue, `bursts` how requests come
    where not as Poisson's, `classes` their classes where there are two. `moments` are of what is served: that is what
    has a range's lengths, `own`, unless it is `sent` by class.
    """

    rate: float
    requests: RequestTable
    ranges: Ranges
    compressible: float
    one_queue: bool
    own: Moments
    occupied: np.ndarray
    longest: FloatArray
    table: RangeTable
    bursts: Bursts | None = None
    classes: Classes | None = None
    sent: Sent | None = None

    @property
    def moments(self) -> Moments:
        """Means over what each range serves."""
        return self.own if self.sent is None else self.sent.served

    @classmethod
    def of(
        cls,
        rate: float,
        atoms: Atoms,
        ranges: Ranges,
        *,
        chunk: int,
        prefix_hit: float | FloatArray,
        compressible: float = 1.0,
        one_queue: bool = True,
        bursts: Bursts | None = None,
        classes: Classes | None = None,
        by_class: bool = False,
        drafting: Speculation = NO_DRAFTS,
    ) -> Demanded:
        """Cut `atoms`, arriving at `rate` per second, into `ranges`, of the requests of class batch all that are there
        into those of the last pool where they are sent `by_class`.
        """
        requests = RequestTable.of(atoms, chunk=chunk, prefix_hit=prefix_hit, drafting=drafting)
        first, last = (np.searchsorted(requests.total, ends, side="right") for ends in (ranges.above, ranges.up_to))
        sums = requests.sums(first, last)
        moved = Moved.of(requests, ranges.splits, ranges.factors[1:], compressible)
        for place in range(1, len(ranges.factors)):
            _compress(sums, ranges, place, moved.joining[:, place - 1], moved.leaving[:, place - 1])
        narrow = (ranges.up_to < np.floor(ranges.gamma * ranges.above)) & (ranges.up_to < ranges.up_to[0])
        occupied = (last > first) & (sums[0] > LEAST_SHARE) & ~narrow  # too narrow for what is compressed out of it
        sums[:, ~occupied] = 0.0  # means of what rounding leaves would be nonsense
        sent = None
        if by_class and classes is not None:
            sent = Sent.by_class(sums, ranges.sides, ranges.up_to < ranges.up_to[0], float(classes.batch_share))
            classes = Classes(sent.batch_share)
        longest = np.where(last > first, requests.total[np.maximum(last - 1, 0)], 0.0)
        simple = slice(ranges.simple)
        return cls(
            rate=rate,
            requests=requests,
            ranges=ranges,
            compressible=compressible,
            one_queue=one_queue,
            own=Moments.of_sums(sums),
            occupied=occupied,
            longest=np.where((ranges.gamma > 1.0) & (ranges.up_to < ranges.up_to[0]), ranges.up_to, longest),
            table=RangeTable.of(requests, ranges.above[simple], ranges.up_to[simple]),
            bursts=bursts,
            classes=classes,
            sent=sent,
        )

    def load(self, service: Service, rows: IntArray, replicas: FloatArray) -> PoolLoad:
        """Return the load of `rows` under `service` (already of those rows) with `replicas` each."""
        rate, everything = self.rate * self.moments.share[rows], 0
        classes, table, told = self.classes and self.classes.pick(rows), self.table, rows
        if len(rows) and rows.max() >= self.ranges.simple:
            told, everything = np.arange(len(rows)), len(rows)
            table = self._own_table(rows if self.sent is None else np.append(rows, 0))
        by_class = None if self.sent is None else self.sent.load(rows, everything)
        return PoolLoad(table, told, service, rate, replicas, self.one_queue, self.bursts, classes, by_class)

    def _own_table(self, rows: IntArray) -> RangeTable:
        """Return a table of `rows` alone."""
        above, up_to, gamma = self.ranges.above[rows], self.ranges.up_to[rows], self.ranges.gamma[rows]
        if (gamma == 1.0).all():
            return RangeTable.of(self.requests, above, up_to)
        atoms = np.stack([self.requests.weight, self.requests.prompt, self.requests.output], axis=1)
        parts = [
            length_pools.part(
                atoms, above=low, up_to=high, until=math.inf, gamma=factor, compressible=self.compressible
            )
            for low, high, factor in zip(above, up_to, gamma, strict=True)
        ]
        return RangeTable.of_parts(
            parts,
            self.own.pick(rows),
            chunk=self.requests.chunk,
            prefix_hit=self.requests.prefix_hit,
            drafting=self.requests.drafting,
        )


def demanded_of(
    question: Question,
    slices: Slices,
    ranges: Ranges,
    token_budget: int,
    drafting: Speculation = NO_DRAFTS,
    *,
    total: float | None = None,
) -> list[Demanded]:
    """Cut every time slice into `ranges`, for engines of that many tokens a step, in which they verify drafts.

    What is cut may be a part of the `total` that comes per second, whose bursts it meets.
    """
    return [
        Demanded.of(
            rate,
            atoms,
            ranges,
            chunk=token_budget,
            prefix_hit=question.prefix_hit,
            compressible=question.compressible,
            one_queue=ROUTERS.named(question.router).one_queue,
            bursts=bursts_of(question, total or rate),
            classes=classes_of(question),
            by_class=ROUTERS.named(question.router).of_classes,
            drafting=drafting,
        )
        for rate, atoms in slices
    ]


def classes_of(question: Question) -> Classes | None:
    """Return the classes of the question's requests, None where there is one alone."""
    return None if question.batch_share is None else Classes(question.batch_share)


def _compress(sums: FloatArray, ranges: Ranges, factor: int, joining: FloatArray, leaving: FloatArray) -> None:
    """Take what is compressed at each split from the sums of the rows above it and add it to those below."""
    sums[:, ranges.below(factor)] += joining
    sums[:, ranges.beyond(factor)] -= leaving
    rows = ranges.between(factor)
    low, high = np.triu_indices(len(ranges.cuts), 1)
    sums[:, rows[low, high]] += joining[:, ranges.cuts[high]] - leaving[:, ranges.cuts[low]]


def concurrency(profile: Profile, demanded: Demanded, ranges: Ranges, question: Question) -> FloatArray:
    """Return the sequences that one replica of `profile` runs at once, per range; 0 where a request cannot fit.

    A scheduler that reserves keeps a place for the pool's whole context; any other shares the blocks by what sequences
    hold on average, half of whose last block is full (model.md §8). Both are capped by the engine's own limit and by
    one token per sequence and step.
    """
    drafting = profile.drafting
    cap = float(profile.settled(question).places(profile.pp, drafting.width))
    blocks, size = profile.kv_blocks, profile.block_size
    if SCHEDULERS.named(question.admission).reserves:
        places = blocks // np.ceil(ranges.up_to / size)
    else:
        held = demanded.moments.mean_context + size // 2 + drafting.drafts
        places = np.floor((1.0 - WATERMARK) * size * blocks / held)
    fits = demanded.occupied & (demanded.longest + 2 * drafting.drafts <= (1.0 - WATERMARK) * size * blocks)
    return np.where(fits, np.minimum(places, cap), 0.0)


def service(profile: Profile, demanded: Demanded, rows: IntArray, places: FloatArray, question: Question) -> Service:
    """Return what one replica of `profile` does for the ranges `rows` at `places` sequences each."""
    moments, settings = demanded.moments.pick(rows), profile.settled(question)
    base, per_context, per_prompt = affine(
        profile.step,
        concurrency=places,
        mean_context=moments.mean_context,
        mean_pairs_per_prompt_token=moments.pairs / moments.uncached,
        chunk=moments.uncached / moments.prefill_steps,
        token_budget=settings.token_budget,
        flow=places * moments.uncached / moments.steps,
        alone=settings.alone,
    )
    coming, chunk = places * moments.prefill_steps / moments.steps, moments.uncached / moments.prefill_steps
    longer = _longer(profile, moments, coming, chunk, settings.token_budget)
    return Service(
        base=np.broadcast_to(base, places.shape),
        per_context=np.broadcast_to(per_context, places.shape),
        per_prompt=np.broadcast_to(per_prompt, places.shape) * longer,
        concurrency=places,
        token_budget=np.full(places.shape, float(settings.token_budget)),
        front_end=profile.front_end + compressing(demanded.ranges, rows, question),
        api_token=np.full(places.shape, profile.api_token),
        steps=steps_of(profile),
        alone=settings.alone,
        lanes=profile.batches,
        stall=longer if profile.batches > 1 else None,
        drafting=profile.drafting,
    )


def _longer(profile: Profile, moments: Moments, coming: FloatArray, chunk: FloatArray, budget: int) -> FloatArray:
    """Return by what factor prompts make steps longer where those of other lanes hold them up, at full batches.

    Lanes in lockstep share the layers behind attention, which take what all tokens take; the rest is the longest's.
    """
    longer = stall(profile.batches, coming, moments.uncached_scv, coming * chunk / budget)
    if not isinstance(profile.step, StepTable) or not profile.step.gathered:
        return longer
    part = np.array(profile.step.gathered[-1]) / profile.step.linear[-1]
    return longer + part * (1.0 - longer)


def compressing(ranges: Ranges, rows: IntArray, question: Question) -> FloatArray:
    """Return the seconds of a measured compressor before each range that takes compressed requests; else 0.

    Those are its P99, and every request of such a range has them, the shorter ones that nobody compressed included: a
    TTFT is on the safe side by them.
    """
    takes = (ranges.gamma[rows] > 1.0) & (ranges.up_to[rows] < ranges.up_to[0])
    return np.where(takes, 0.0 if question.compressor is None else question.compressor.seconds, 0.0)


def steps_of(profile: Profile, own: PoolProfile | None = None) -> Steps | None:
    """Return the steps of a pool's hardware where they are no line; `own` are the times that a pool was given."""
    if not isinstance(profile.step, StepTable) or not (own is None or own.by_kernels):
        return None
    return TableLines(profile.step)
