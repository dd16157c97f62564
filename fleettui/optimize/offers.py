"""What each profile offers for each length range: places, replicas that keep the terms, and why not where none do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from fleettui.domain.anchor import Anchor
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import TTFT
from fleettui.domain.replica import ReplicaKey
from fleettui.domain.scenario import Question
from fleettui.optimize import sizing
from fleettui.optimize.found_share import FoundShare
from fleettui.optimize.ranges import Demanded, Ranges, Slices, concurrency, demanded_of, service
from fleettui.optimize.spares import has_spares, spares
from fleettui.optimize.terms import Terms
from fleettui.optimize.watts import SizedRows, idle_watts, working_watts
from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.batching import occupancy, saturated_rate
from fleettui.queueing.latency import PoolLoad, floor_of
from fleettui.queueing.service import Service

ROWS_AT_ONCE = 256
Kind = tuple[str, str, str, str, int, int, bool, str, str]
"""What replicas are that differ only in how they are set: GPU, model, both number formats, GPUs, drafts."""
Anchors = Mapping[ReplicaKey, Anchor]
"""What simulations showed of replicas of a kind, whatever their requests."""
NO_ANCHORS: Anchors = {}
MEMORY, FLOOR = "memory", "floor"
Factor = float | FloatArray
"""One of all rows, or one a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedSlice:
    """A profile's service of one time slice; rows without a place hold 0 places. Arrays of shape (ranges,)."""

    demanded: Demanded
    places: FloatArray
    service: Service

    def load(self, rows: IntArray, replicas: FloatArray, scale: Factor = 1.0, waits: Factor = 1.0) -> PoolLoad:
        """Return the load of `rows` at `replicas` each, step times multiplied by `scale`, waits by `waits` too."""
        return self.demanded.load(self.service.pick(rows).scaled(scale, waits), rows, replicas)


@dataclass(slots=True, kw_only=True, eq=False)
class Offer:
    """One profile's replicas per range (infinite: none suffices), its watts, and the slice that asks for most.

    `fits` marks ranges whose requests a replica can hold at all. Where a range is not `exact` yet, its replicas are a
    bound that no size is below, from utilization and the floor alone; `refine` sizes such ranges. `with_spares` are the
    replicas with those that stand by, and `filled` those that the requests would keep full, shape (slices, ranges).
    """

    profile: Profile
    slices: tuple[ServedSlice, ...]
    terms: Terms
    question: Question
    fits: np.ndarray
    exact: np.ndarray
    replicas: FloatArray
    with_spares: FloatArray
    watts: FloatArray
    governing: IntArray
    filled: FloatArray

    @property
    def busy(self) -> FloatArray:
        """How busy the replicas are per range, 0 where there are none."""
        filled = self.filled.max(axis=0)
        return np.asarray(np.where(np.isfinite(self.replicas), filled / np.maximum(self.replicas, 1.0), 0.0))

    @property
    def gpus(self) -> FloatArray:
        """GPUs per range."""
        return self.with_spares * self.profile.gpus_per_replica

    @property
    def cost(self) -> FloatArray:
        """US dollars per hour and range, infinite where no size suffices, also of GPUs that cost nothing."""
        sized = np.isfinite(self.gpus)
        return np.where(sized, np.where(sized, self.gpus, 0.0) * self.profile.price_per_hour, np.inf)

    def load(self, rows: IntArray, replicas: FloatArray, slice_index: int) -> PoolLoad:
        """Return the load of `rows` in one time slice."""
        return self.slices[slice_index].load(rows, replicas)

    def refine(self, rows: IntArray) -> None:
        """Size `rows` exactly, some at a time, since each may have all requests of its own."""
        for some in np.array_split(rows, max(1, math.ceil(len(rows) / ROWS_AT_ONCE))):
            self._refine(some)

    def _refine(self, rows: IntArray) -> None:
        needed = np.stack([_sizes(served, rows, self.fits[rows], self.terms) for served in self.slices])
        self._set(rows, np.where(self.fits[rows], needed.max(axis=0), np.inf), needed)
        self.exact[rows] = True

    def bound(self, rows: IntArray) -> None:
        """Set `rows` to a bound of their size."""
        needed = np.stack([_bounds(served, rows, self.fits[rows], self.terms) for served in self.slices])
        self._set(rows, np.where(self.fits[rows], needed.max(axis=0), np.inf), needed)

    def _set(self, rows: IntArray, replicas: FloatArray, needed: FloatArray) -> None:
        self.replicas[rows] = replicas
        self.with_spares[rows] = with_spares(replicas, self.profile, self.question)
        drawn = np.stack([_watts(self.profile, served, rows, replicas) for served in self.slices]).max(axis=0)
        self.watts[rows] = drawn + idle_watts(self.profile, replicas, self.with_spares[rows])
        self.governing[rows] = _governing(self.filled[:, rows], needed)


def offer(
    profile: Profile,
    demanded: Sequence[Demanded],
    ranges: Ranges,
    question: Question,
    terms: Terms,
    *,
    known: FloatArray | None = None,
    sized: bool = True,
) -> Offer:
    """Size `profile` for every simple range under every time slice, unless none is to be, and bound it for the others.

    `known` are the replicas of another of its kind, shape (ranges,): a range that needs as many at least is not sized.
    """
    slices = tuple(_served(profile, one, ranges, question) for one in demanded)
    fits = np.all([(served.places >= 1.0) | ~served.demanded.occupied for served in slices], axis=0)
    fits &= np.any([served.demanded.occupied for served in slices], axis=0)
    count = len(fits)
    found = Offer(
        profile=profile,
        slices=slices,
        terms=terms,
        question=question,
        fits=fits,
        exact=np.zeros(count, bool),
        replicas=np.full(count, np.inf),
        with_spares=np.full(count, np.inf),
        watts=np.zeros(count),
        governing=np.zeros(count, np.int64),
        filled=np.stack([_filled(served, np.flatnonzero(fits)) for served in slices]),
    )
    simple = np.arange(ranges.simple if sized else 0)
    found.bound(np.arange(0 if known is not None else len(simple), count))
    if known is not None:
        simple = simple[found.replicas[simple] < known[simple]]
    found.refine(simple)
    return found


def kind_of(profile: Profile) -> Kind:
    """Return what a profile shares with those that only are set otherwise, of which the smallest is best."""
    return (
        *(profile.gpu, profile.model, profile.dtype, profile.kv_dtype, profile.tp, profile.pp, profile.attention_dp),
        profile.layout,
        profile.speculative,
    )


def offers_of(
    profiles: Sequence[Profile],
    slices: Slices,
    ranges: Ranges,
    question: Question,
    terms: Terms,
    *,
    rivals: bool = False,
    sized: bool = True,
    anchors: Anchors = NO_ANCHORS,
) -> list[Offer]:
    """Return what each profile offers under the demand of `slices`, corrected where `anchors` know its replicas.

    Those of one kind that are `rivals` are sized only where they may need fewer replicas than those before them; none
    is where the fleets' sizes are given.
    """
    budgets = [profile.settled(question).token_budget for profile in profiles]
    finds, context, busiest = FoundShare.of(question), int(ranges.up_to[0]), max(slices, key=lambda one: one[0])
    demanded: dict[tuple[int, str, float], list[Demanded]] = {}
    least: dict[Kind, FloatArray] = {}
    found = []
    for profile, budget in zip(profiles, budgets, strict=True):
        kind = kind_of(profile)
        own = replace(terms, anchor=anchors.get(profile.replica_key, terms.anchor))
        hit = question.prefix_hit
        if finds is not None:
            alone = Ranges.of((), context)
            whole = partial(_whole, profile=profile, question=question, demand=[busiest], whole=alone)
            hit = finds.agreed(whole, partial(sizing.size, terms=own), profile=profile, context=context)
        key = budget, profile.speculative, hit
        if key not in demanded:
            found_so = replace(question, prefix_hit=hit)
            demanded[key] = demanded_of(found_so, slices, ranges, budget, profile.drafting)
        one = offer(profile, demanded[key], ranges, question, own, known=least.get(kind), sized=sized)
        if rivals:
            least[kind] = np.minimum(least.get(kind, np.inf), one.replicas)
        found.append(one)
    return found


def _whole(
    share: float, replicas: float, *, profile: Profile, question: Question, demand: Slices, whole: Ranges
) -> PoolLoad | None:
    """Return the load of replicas that serve all requests and find a share of their prompts; None where none fits."""
    budget = profile.settled(question).token_budget
    found_so = replace(question, prefix_hit=share)
    (demanded,) = demanded_of(found_so, demand, whole, budget, profile.drafting)
    served = _served(profile, demanded, whole, question)
    return served.load(np.zeros(1, np.int64), np.array([replicas])) if served.places[0] >= 1.0 else None


def refine(offers: Sequence[Offer], pools: Iterable[tuple[int, int]]) -> IntArray:
    """Size those of `pools`, pairs of (offer index, row), that are only bounded; return their rows, none twice."""
    by_offer: dict[int, list[int]] = {}
    for index, row in sorted(pools):
        if not offers[index].exact[row]:
            by_offer.setdefault(index, []).append(row)
    for index, rows in by_offer.items():
        offers[index].refine(np.array(rows))
    return np.array(sorted({row for rows in by_offer.values() for row in rows}), dtype=np.int64)


def with_spares(replicas: FloatArray, profile: Profile, question: Question) -> FloatArray:
    """Return the replicas on GPUs of `profile` with those that stand by; what is infinite stays so."""
    if not has_spares(question):
        return replicas
    counts, place = np.unique(replicas, return_inverse=True)
    finite = np.isfinite(counts)
    counts[finite] += [spares(int(count), profile, question) for count in counts[finite]]
    return np.asarray(counts[place])


def replicas_at(offer: Offer, rows: IntArray, terms: Terms, scale: Factor = 1.0, waits: Factor = 1.0) -> FloatArray:
    """Return the replicas that `rows` need when steps take `scale` times as long; infinite where none suffices.

    Waits are `waits` times what these steps make of them.
    """
    needed = np.ones(len(rows))
    scales, longer = (np.broadcast_to(each, rows.shape) for each in (scale, waits))
    for served in offer.slices:
        busy = np.flatnonzero(served.demanded.occupied[rows])
        load = served.load(rows[busy], np.ones(len(busy)), scales[busy], longer[busy])
        sizes = sizing.size(load, terms)
        needed[busy] = np.maximum(needed[busy], sizes)
    return needed


def _served(profile: Profile, demanded: Demanded, ranges: Ranges, question: Question) -> ServedSlice:
    places = concurrency(profile, demanded, ranges, question)
    rows = np.flatnonzero(places >= 1.0)
    found = service(profile, demanded, rows, places[rows], question)
    return ServedSlice(demanded=demanded, places=places, service=_spread(found, rows, len(places)))


def _spread(found: Service, rows: IntArray, size: int) -> Service:
    """Return `found` laid out over all ranges, NaN where there is no place."""

    def lay(values: FloatArray) -> FloatArray:
        full = np.full(size, np.nan)
        full[rows] = values
        return full

    return Service(
        base=lay(found.base),
        per_context=lay(found.per_context),
        per_prompt=lay(found.per_prompt),
        concurrency=lay(found.concurrency),
        token_budget=lay(found.token_budget),
        front_end=lay(found.front_end),
        api_token=lay(found.api_token),
        steps=found.steps,
        factor=found.factor,
        alone=found.alone,
        lanes=found.lanes,
        stall=None if found.stall is None else lay(found.stall),
        drafting=found.drafting,
    )


def _sizes(served: ServedSlice, rows: IntArray, fits: np.ndarray, terms: Terms) -> FloatArray:
    """Return the fewest replicas of each of `rows`, 0 where nothing is asked for."""
    sizes = np.zeros(len(rows))
    asked = np.flatnonzero(fits & served.demanded.occupied[rows])
    if len(asked):
        sizes[asked] = sizing.size(served.load(rows[asked], np.ones(len(asked))), terms)
    return sizes


def _bounds(served: ServedSlice, rows: IntArray, fits: np.ndarray, terms: Terms) -> FloatArray:
    """Return replicas that no size of `rows` is below, from means alone; 0 where nothing is asked for."""
    sizes = np.zeros(len(rows))
    asked = np.flatnonzero(fits & served.demanded.occupied[rows])
    moments, service = served.demanded.moments.pick(rows[asked]), served.service.pick(rows[asked])
    sizes[asked] = sizing.at_utilization(served.demanded.rate * moments.share, saturated_rate(moments, service), terms)
    sizes[asked[_hopeless(served.demanded, rows[asked], service, terms)]] = np.inf
    return sizes


def _hopeless(demanded: Demanded, rows: IntArray, service: Service, terms: Terms) -> np.ndarray:
    """Return which rows are late on any number of replicas, by the fastest step of them all; not all such are found.

    Alone on a replica a request takes to its first token what `latency.floor_of` says (model.md §5.4).
    """
    late = np.zeros(len(rows), bool)
    if not len(rows):
        return late
    requests, ranges = demanded.requests, demanded.ranges
    fastest = floor_of(demanded.moments.pick(rows), service).min(axis=0)
    floor = fastest @ demanded.table.features
    first, last = (np.searchsorted(requests.total, ends[rows], side="right") for ends in (ranges.above, ranges.up_to))
    for limit in terms.on(TTFT.name):
        if limit.batch and demanded.sent is not None:
            continue
        above = np.concatenate([[0.0], np.cumsum(requests.weight * (floor > limit.seconds))])
        share = (above[last] - above[first]) / demanded.own.share[rows]
        late |= (ranges.gamma[rows] == 1.0) & (share > terms.beyond(limit) * (1.0 + 1e-9))
    return late


def _governing(filled: FloatArray, needed: FloatArray) -> IntArray:
    """Return, per row, the slice that needs most replicas; among equals the one that fills them most."""
    most = needed >= needed.max(axis=0)
    return np.asarray(np.where(most, filled, -1.0).argmax(axis=0))


def _filled(served: ServedSlice, rows: IntArray) -> FloatArray:
    """Return the replicas that the requests of each range would keep full, 0 beside `rows` and where there are none."""
    filled = np.zeros(len(served.places))
    asked = rows[served.demanded.occupied[rows]]
    moments, service = served.demanded.moments.pick(asked), served.service.pick(asked)
    filled[asked] = served.demanded.rate * moments.share / saturated_rate(moments, service)
    return filled


def _watts(profile: Profile, served: ServedSlice, rows: IntArray, replicas: FloatArray) -> FloatArray:
    """Return the watts of each of `rows` at `replicas`, 0 where nothing is asked for or no size suffices."""
    watts = np.zeros(len(rows))
    asked = np.flatnonzero(np.isfinite(replicas) & served.demanded.occupied[rows])
    if len(asked):
        moments, service = served.demanded.moments.pick(rows[asked]), served.service.pick(rows[asked])
        rate = served.demanded.rate * moments.share
        full = occupancy(moments, service, rate, replicas[asked] * service.lanes)
        sized = SizedRows(moments=moments, service=service, occupancy=full, arrival_rate=rate, replicas=replicas[asked])
        watts[asked] = working_watts(profile, sized)
    return watts
