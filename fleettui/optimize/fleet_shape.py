"""The shape of a fleet, its pools without their sizes, under traffic: the replicas that each pool needs at any rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fleettui.domain.anchor import NOTHING_SEEN, Anchor
from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import TTFT, Latency
from fleettui.domain.plan import PoolFigures
from fleettui.domain.scenario import Question
from fleettui.domain.seen_load import SeenLoad
from fleettui.domain.uncertain import WAITS, Factors, factor_at, share_left, slower_than
from fleettui.errors import InputError
from fleettui.optimize import sizing
from fleettui.optimize.built_pool import engine_of
from fleettui.optimize.costs import cost_of_pools, taken_by_type
from fleettui.optimize.pool_load import as_set, pool_load
from fleettui.optimize.pool_parts import asked_of
from fleettui.optimize.ranges import Slices
from fleettui.optimize.resize import alike, sketch_of, spares_of
from fleettui.optimize.seen_loads import as_seen, seen_load
from fleettui.optimize.terms import Terms
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.latency import PoolLoad
from fleettui.routing import ROUTERS

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolShape:
    """One pool without its size. `loads` are those of each time slice in which it gets requests, one row each.

    Their arrival rates are those at one request per second in the fleet's busiest slice. The `anchor` is what was
    simulated of the pool: formulas are corrected by it, and no size contradicts it. Sizes are for step times that go
    so far `towards` an end of what they may be: 1 is the slower. Near a load that was `seen` that is less.
    """

    pool: Pool
    profile: Profile
    loads: tuple[PoolLoad, ...]
    anchor: Anchor = NOTHING_SEEN
    towards: float = 0.0
    seen: SeenLoad | None = None

    def sizes(
        self,
        rates: FloatArray,
        terms: Terms,
        towards: FloatArray | None = None,
        waits: FloatArray | float = 1.0,
    ) -> FloatArray:
        """Return the fewest replicas per fleet rate (requests/s), infinite where none suffices.

        Every step time goes so far `towards` an end, one for each rate, in place of the pool's own, and waits are
        `waits` times what these make of them; near a load at which waits were seen that is less, as it is of steps. A
        pool that gets no request keeps one replica.
        """
        towards, widest = np.full(len(rates), self.towards) if towards is None else towards, self.profile.step_factors

        def within(factors: Factors, waits: FloatArray | float) -> FloatArray:
            return self._sizes(rates, terms, np.array([factor_at(factors, one) for one in towards]), waits)

        needed = within(widest, waits)
        for reach, factors in () if self.seen is None else self.seen.rings:
            ring, known = self._near(rates, reach), waits
            if self.seen is not None and self.seen.waits:
                known = waits ** np.array([share_left(factors, widest, one) for one in towards])
            needed = as_seen(needed, within(factors, known), ring, slower=towards > 0.0)
        return needed

    def factor(self, rate: float, replicas: int) -> float:
        """Return what step times are of those predicted with so many replicas at `rate` requests/s of the fleet."""
        near = None if self.seen is None else self.seen.factors_at(rate * self._share / replicas)
        return factor_at(near or self.profile.step_factors, self.towards)

    @property
    def _share(self) -> float:
        """The requests that it gets a second of one that comes to the fleet."""
        return max((float(load.arrival_rate[0]) for load in self.loads), default=0.0)

    def _near(self, rates: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
        """Return the fewest and the most replicas whose load is within a factor `reach` of the one that was seen."""
        assert self.seen is not None, "a load was seen"
        at = rates * self._share / self.seen.rate
        return np.ceil(at / reach - ROUNDING), np.floor(at * reach + ROUNDING)

    def _sizes(self, rates: FloatArray, terms: Terms, step_times: FloatArray, waits: FloatArray | float) -> FloatArray:
        """Return the same where every step time is so many times the one predicted."""
        needed, anchored = np.ones(len(rates)), replace(terms, anchor=self.anchor)
        row = np.zeros(len(rates), np.int64)
        for load in self.loads:
            own = load.pick(row).faster(rates)
            if self.anchor.seen and own.bursts is not None:  # seen under rates of as much load, with their bursts
                own = replace(own, bursts=own.bursts.as_seen(step_times))
            asked = replace(own, service=own.service.scaled(step_times, waits))
            needed = np.maximum(needed, sizing.size(asked, anchored))
        least, most = ([of(rate) for rate in rates] for of in (self.anchor.least, self.anchor.most))
        needed = np.where(step_times >= 1.0, np.maximum(needed, least), needed)
        return np.where(step_times <= 1.0, np.minimum(needed, most), needed)

    def seconds(self, latency: Latency, figures: PoolFigures) -> float:
        """Return a latency of the pool by its figures, which are the formulas', as corrected."""
        return figures.at(latency) * self.anchor.ratio(latency.name, figures.utilization)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The pools of a fleet without their sizes, and what the question holds them to.

    Engines that are `modelled` are worked out by their profiles, others as somebody gave them.
    """

    pools: tuple[PoolShape, ...]
    question: Question
    terms: Terms
    modelled: bool
    doubts_waits: bool = False

    @classmethod
    def of(
        cls,
        fleet: Fleet,
        question: Question,
        profiles: Sequence[Profile],
        slices: Slices,
        busiest: float | None = None,
        *,
        modelled: bool | None = None,
        anchors: Sequence[Anchor] = (),
    ) -> Shape:
        """Return the shape of `fleet`, whose pools run on `profiles`, under `slices`, rated 1/s in the busiest.

        A slice of `busiest` requests/s is the one rated so, where that is given. An engine that is `modelled` is
        worked out by its profile under these slices, as the search did it; one that is not stays as somebody gave it.
        None asks whether the profiles explain it. `anchors` are those of its pools, where they were simulated. Raises
        InputError when a request fits nowhere.
        """
        pools = _explained(fleet, question, profiles, slices, busiest) if modelled is None else None
        modelled = pools is not None if modelled is None else modelled
        pools = pools or _pools(fleet, question, profiles, slices, busiest, given=not modelled)
        known = anchors or [NOTHING_SEEN] * len(pools)
        wished = 0.0 if question.confidence is None else slower_than(question.confidence)
        return cls(
            pools=tuple(replace(one, anchor=own, towards=wished) for one, own in zip(pools, known, strict=True)),
            question=question,
            terms=Terms.of(question),
            modelled=modelled,
        )

    def replicas(self, rate: float, step_time: float = 0.0) -> tuple[int, ...] | None:
        """Return each pool's replicas at `rate` requests/s, None where no size holds in some pool.

        Every step time goes so far towards an end of its profile's band: -1 is the faster, 1 the slower.
        """
        return self.replicas_at(rate, (step_time,))[0]

    def replicas_at(self, rate: float, step_times: Sequence[float]) -> list[tuple[int, ...] | None]:
        """Return what `replicas` does for each of these step times, all at once."""
        found = self.needed(np.full(len(step_times), rate), step_times)
        return [tuple(int(size) for size in one) if np.isfinite(one).all() else None for one in found]

    def needed(self, rates: FloatArray, step_times: Sequence[float]) -> FloatArray:
        """Return each pool's replicas at each rate (requests/s) with its step time, shape (rates, pools).

        Infinite where no size holds.
        """
        towards = np.array(step_times, dtype=float)
        waits = np.array([factor_at(WAITS, by) if self.doubts_waits else 1.0 for by in step_times])
        return np.array([pool.sizes(rates, self.terms, towards, waits) for pool in self.pools]).T

    @property
    def doubting(self) -> Shape:
        """The shape whose waits may be further off than its steps: that of a range of sizes."""
        return replace(self, doubts_waits=True)

    def at_end(self, step_time: float) -> Shape:
        """Return the shape where every step time goes so far towards an end of its profile's band."""
        return replace(self, pools=tuple(replace(one, towards=step_time) for one in self.pools))

    def ttft(self, pools: Sequence[PoolFigures]) -> float:
        """Return the TTFT in seconds of the worst of the pools with these figures, as corrected."""
        return max(own.seconds(TTFT.latency, one) for own, one in zip(self.pools, pools, strict=True))

    def gpus(self, replicas: Sequence[int]) -> tuple[int, ...]:
        """Return the GPUs of each pool at these sizes, those of spare replicas too."""
        pairs = zip(self.pools, replicas, strict=True)
        return tuple(
            (count + spares_of(one.pool, one.profile, count, self.question)) * one.pool.gpus_per_replica
            for one, count in pairs
        )

    def cost(self, replicas: Sequence[int]) -> float:
        """Return US dollars an hour at these sizes, whole nodes of each GPU type where the question pays for them."""
        return cost_of_pools(self._counts(replicas), whole_nodes=self.question.whole_nodes)

    def paid_beyond(self, replicas: Sequence[int]) -> int | None:
        """Return the GPUs paid for at these sizes in whole nodes, None where they are no more than its own."""
        paid = sum(taken_by_type(self._counts(replicas), whole_nodes=self.question.whole_nodes).values())
        return paid if paid > sum(self.gpus(replicas)) else None

    def _counts(self, replicas: Sequence[int]) -> Iterator[tuple[int, Profile]]:
        return zip(self.gpus(replicas), (one.profile for one in self.pools), strict=True)


def _explained(
    fleet: Fleet, question: Question, profiles: Sequence[Profile], slices: Slices, busiest: float | None
) -> tuple[PoolShape, ...] | None:
    """Return the pools by the catalogue's profiles if these explain their engines, but for rounding, None else."""
    try:
        pools = _pools(fleet, question, profiles, slices, busiest, given=False)
    except InputError:  # the catalogue's engine could not serve this; the given one may
        return None
    explained = all(any(_explains(one.profile, load, one.pool) for load in one.loads) for one in pools if one.loads)
    return pools if explained else None


def _explains(profile: Profile, load: PoolLoad, pool: Pool) -> bool:
    return alike(engine_of(load.service, 0, profile), int(load.service.concurrency[0]), pool)


def _pools(
    fleet: Fleet,
    question: Question,
    profiles: Sequence[Profile],
    slices: Slices,
    busiest: float | None = None,
    *,
    given: bool,
) -> tuple[PoolShape, ...]:
    bounds = [(pool.above, pool.up_to) for pool in fleet.pools]
    route = ROUTERS.named(fleet.router).route
    busiest = busiest or max(rate for rate, _ in slices)
    parts = [route(atoms, bounds, gamma=fleet.gamma, compressible=fleet.compressible) for _, atoms in slices]
    each = [(rate / busiest, atoms) for rate, atoms in slices]
    found = []
    for place, (pool, profile) in enumerate(zip(fleet.pools, profiles, strict=True)):
        asked = as_set(question, fleet, pool.settings)
        sketch = sketch_of(pool, 1, given=given)
        engine = replace(profile, kv_blocks=pool.profile.kv_blocks) if given else profile
        demand = asked_of(fleet.router, place, each, parts, question.batch_share)
        loads = tuple(pool_load(asked, sketch, engine, one) for one in demand if one.atoms)
        seen = None if given else seen_load(pool, question, [one.atoms for one in demand if one.atoms])
        found.append(PoolShape(pool=pool, profile=profile, loads=loads, seen=seen))
    return tuple(found)
