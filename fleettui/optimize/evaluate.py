"""The one place where a fleet is scored: from a choice of pools to a candidate with all its figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from fleettui.domain.confidence import LIKELY
from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.hardware import Profile
from fleettui.domain.meter import feed
from fleettui.domain.plan import Candidate, Estimate, Evidence, PoolEvidence, PoolFigures, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.uncertain import WAITS, factor_at, least_known, slower_than
from fleettui.domain.unit_cost import per_million_tokens
from fleettui.optimize.built_pool import pool_of
from fleettui.optimize.compressor_cost import cost_of_rows
from fleettui.optimize.costs import cost_of_pools, taken_by_fleet
from fleettui.optimize.offers import Offer, replicas_at, with_spares
from fleettui.optimize.pool_figures import pool_figures, worst
from fleettui.optimize.ranges import Ranges
from fleettui.optimize.search import Choice
from fleettui.optimize.sizing import MOST_REPLICAS
from fleettui.optimize.terms import Terms
from fleettui.optimize.watts import idle_watts
from fleettui.queueing import latency, tails
from fleettui.queueing.arrays import FloatArray, IntArray
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.metric_formulas import FORMULAS

Place = tuple[int, int]
"""(offer index, range row)."""

POOL_NAMES = {
    1: ("all",),
    2: ("short", "long"),
    3: ("short", "medium", "long"),
    4: ("short", "medium", "long", "longest"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPool:
    """One pool of a candidate: as deployed, its figures, and all its replicas at faster and slower steps."""

    pool: Pool
    figures: PoolFigures
    output_rate: float
    replicas_range: tuple[float, float]


@dataclass(slots=True, kw_only=True)
class Scorer:
    """Scores choices over the same offers; pools that several choices share are evaluated once."""

    offers: Sequence[Offer]
    ranges: Ranges
    question: Question
    terms: Terms
    _scored: dict[Place, ScoredPool] = field(default_factory=dict)
    _sure: dict[Place, float] = field(default_factory=dict)
    _by_name: dict[tuple[Place, str], tuple[Pool, PoolFigures]] = field(default_factory=dict)
    _cores: FloatArray | None = None

    def candidates(self, choices: Sequence[Choice]) -> list[Candidate]:
        """Return one candidate per choice, in order."""
        self._score({place for choice in choices for place in choice.pools})
        return [self._candidate(choice) for choice in choices]

    def sure_costs(self, choices: Sequence[Choice]) -> list[float]:
        """Return US dollars an hour of each choice to suffice in LIKELY of the cases, infinite where no size does.

        Where a question wishes how sure a fleet is, it is as sure as that.
        """
        self._size_sure({place for choice in choices for place in choice.pools} - self._sure.keys())
        return [self._sure_cost(choice) for choice in choices]

    def _sure_cost(self, choice: Choice) -> float:
        sized = [(self._sure[place], self.offers[place[0]].profile) for place in choice.pools]
        if not all(np.isfinite(replicas) for replicas, _ in sized):
            return math.inf
        counts = [(int(replicas) * profile.gpus_per_replica, profile) for replicas, profile in sized]
        return cost_of_pools(counts, whole_nodes=self.question.whole_nodes)

    def _size_sure(self, places: Iterable[Place]) -> None:
        by_offer: dict[int, list[int]] = {}
        for index, row in sorted(places):
            by_offer.setdefault(index, []).append(row)
        towards = slower_than(self.question.confidence or LIKELY)
        for index, rows in by_offer.items():
            chosen = self.offers[index]
            longer = factor_at(chosen.profile.step_factors, towards)
            sizes = replicas_at(chosen, np.array(rows), chosen.terms, longer)
            own = with_spares(sizes, chosen.profile, self.question).tolist()
            self._sure.update(zip(((index, row) for row in rows), own, strict=True))

    def among(self, offers: Sequence[Offer]) -> Scorer:
        """Return the scorer of some of its offers alone."""
        return Scorer(offers=offers, ranges=self.ranges, question=self.question, terms=self.terms)

    @property
    def cores(self) -> FloatArray:
        """US dollars an hour of the compressor's cores for each range."""
        if self._cores is None:
            self._cores = cost_of_rows(self.offers[0].slices, self.ranges, self.question)
        return self._cores

    def profiles(self, choice: Choice) -> list[Profile]:
        """Return the profile of each pool of a choice."""
        return [self.offers[index].profile for index, _ in choice.pools]

    def load(self, place: Place, replicas: float | None = None, slice_index: int | None = None) -> PoolLoad:
        """Return the one-row load of a pool in a time slice, that which asks most of it where none is given."""
        index, row = place
        chosen, rows = self.offers[index], np.array([row])
        size = np.array([self._replicas(place) if replicas is None else replicas])
        return chosen.load(rows, size, int(chosen.governing[row]) if slice_index is None else slice_index)

    def _replicas(self, place: Place) -> float:
        """Return the sized replicas, or those of the utilization cap alone where no size keeps the terms."""
        index, row = place
        sized = float(self.offers[index].replicas[row])
        if np.isfinite(sized):
            return sized
        relaxed = replace(self.offers[index].terms, limits=())
        return min(MOST_REPLICAS, float(replicas_at(self.offers[index], np.array([row]), relaxed)[0]))

    def _score(self, places: Iterable[Place]) -> None:
        by_offer: dict[tuple[int, int], list[int]] = {}
        for index, row in sorted(set(places) - self._scored.keys()):
            by_offer.setdefault((index, int(self.offers[index].governing[row])), []).append(row)
        for (index, slice_index), rows in by_offer.items():
            self._score_rows(index, slice_index, np.array(rows))

    def _score_rows(self, index: int, slice_index: int, rows: IntArray) -> None:
        chosen = self.offers[index]
        replicas = np.array([self._replicas((index, int(row))) for row in rows])
        load = chosen.load(rows, replicas, slice_index)
        figures = self._figures(index, slice_index, rows, replicas)
        all_replicas = with_spares(replicas, chosen.profile, self.question)
        idle = idle_watts(chosen.profile, replicas, all_replicas)
        scales, waits = (np.repeat(ends, len(rows)) for ends in (chosen.profile.step_factors, WAITS))
        at_ends = replicas_at(chosen, np.tile(rows, 2), chosen.terms, scales, waits)
        fast, slow = np.split(with_spares(at_ends, chosen.profile, self.question), 2)
        for i, row in enumerate(rows):
            self._scored[index, int(row)] = ScoredPool(
                pool=self._pool((index, int(row)), (int(replicas[i]), int(all_replicas[i] - replicas[i])), load, i),
                figures=replace(figures[i], power=figures[i].power + float(idle[i])),
                output_rate=float(load.arrival_rate[i] * load.moments.output[i]),
                replicas_range=(float(fast[i]), float(slow[i])),
            )

    def _figures(self, index: int, governing: int, rows: IntArray, replicas: FloatArray) -> list[PoolFigures]:
        """Return the figures of pools of `replicas` that the time slice `governing` asks most of, over all slices."""
        chosen = self.offers[index]
        cap = chosen.profile.settled(self.question).places(chosen.profile.pp, chosen.profile.drafting.width)
        by_row: list[list[PoolFigures]] = [[] for _ in rows]
        for place in sorted(range(len(chosen.slices)), key=lambda place: place != governing):
            busy = np.flatnonzero(chosen.slices[place].demanded.occupied[rows])
            if not len(busy):
                continue
            load = chosen.load(rows[busy], replicas[busy], place)
            names = ["pool"] * len(busy)
            for i, one in zip(
                busy, pool_figures(load, chosen.profile, chosen.terms, names=names, cap=cap), strict=True
            ):
                by_row[i].append(one)
        return [worst(own[0], own[1:], chosen.terms) for own in by_row]

    def _pool(self, place: Place, sizes: tuple[int, int], load: PoolLoad, i: int) -> Pool:
        """Return the pool at a place, of so many replicas and spare ones, whose service is that of row i of `load`."""
        (index, row), (replicas, spares) = place, sizes
        profile, lengths = self.offers[index].profile, (int(self.ranges.above[row]), int(self.ranges.up_to[row]))
        engine, service = profile.settled(self.question), load.service
        return pool_of(profile, engine, service, i, name="pool", replicas=replicas, spares=spares, lengths=lengths)

    def _candidate(self, choice: Choice) -> Candidate:
        names = POOL_NAMES[len(choice.pools)]
        scored = [self._scored[place] for place in choice.pools]
        pools, figures = zip(*map(self._named, choice.pools, names), strict=True)
        fleet = Fleet(
            router=self.question.router,
            router_refresh=self.question.router_refresh,
            gamma=choice.gamma,
            compressible=self.question.compressible,
            admission=self.question.admission,
            pools=pools,
        )
        profiles = self.profiles(choice)
        cores = float(self.cores[[row for _, row in choice.pools]].sum())
        candidate = candidate_of(fleet, figures, scored, profiles, self.question, compressor_cost=cores)
        broken = shortfalls(candidate, self.question, self.terms, profiles)
        return replace(candidate, shortfalls=broken) if broken else candidate

    def _named(self, place: Place, name: str) -> tuple[Pool, PoolFigures]:
        """Return a pool that was scored and its figures by the name that it has in a fleet."""
        if (place, name) not in self._by_name:
            one = self._scored[place]
            self._by_name[place, name] = replace(one.pool, name=name), replace(one.figures, name=name)
        return self._by_name[place, name]

    def evidence(self, choice: Choice, verdict: Verdict) -> Evidence:
        """Return what the formulas say of a choice: each pool, and of all requests the mixture and the attainment.

        Those two are of the time slice in which they are worst.
        """
        ttft, kept = zip(*map(self._mixture, self._by_slice(choice)), strict=True)
        names = POOL_NAMES[len(choice.pools)]
        figures = [self._scored[place].figures for place in choice.pools]
        return Evidence(
            method="formula",
            verdict=verdict,
            ttft=Estimate(value=max(ttft)),
            attainment=Estimate(value=min(kept)),
            pools=tuple(
                PoolEvidence(
                    name=name,
                    ttft=Estimate(value=one.ttft),
                    tpot=Estimate(value=one.tpot),
                    utilization=one.utilization,
                    batch=one.batch,
                    further=tuple((own, Estimate(value=seconds)) for own, seconds in one.further),
                )
                for name, one in zip(names, figures, strict=True)
            ),
        )

    def _by_slice(self, choice: Choice) -> list[list[PoolLoad]]:
        """Return the loads of a choice's pools in each time slice, those that get requests in it."""
        return [
            [
                self.load(place, slice_index=index)
                for place in choice.pools
                if self.offers[place[0]].slices[index].demanded.occupied[place[1]]
            ]
            for index in range(len(self.offers[0].slices))
        ]

    def _mixture(self, loads: Sequence[PoolLoad]) -> tuple[float, float]:
        """Return TTFT at the percentile and attainment over all requests of one time slice."""
        rates = np.array([float(load.arrival_rate[0]) for load in loads])
        waiting = rates * [1.0 - float(load.batch_share[0]) for load in loads]
        shares, interactive = rates / rates.sum(), waiting / waiting.sum()
        parts = [
            (tails.tails_of(load, latency.ttft_delay)[0], share) for load, share in zip(loads, interactive, strict=True)
        ]
        kept = float(sum(share * self._attainment(load) for load, share in zip(loads, shares, strict=True)))
        return tails.mixture_percentile(parts, self.terms.exceeded), kept

    def _attainment(self, load: PoolLoad) -> float:
        """Return the least share of requests that keep every limit at the SLO's percentile: misses may not overlap."""
        share = float(load.batch_share[0])
        return (1.0 - share) * self._kept(load, batch=False) + share * self._kept(load, batch=True)

    def _kept(self, load: PoolLoad, *, batch: bool) -> float:
        """Return that share of one class."""
        own = load.of_class(batch=batch)
        limits = sorted(self.question.slo.shared(batch=batch), key=lambda one: FORMULAS[one.metric].cheap)
        return max(0.0, 1.0 - sum(float(FORMULAS[one.metric].exceeded(own, one.seconds)[0]) for one in limits))


def candidate_of(
    fleet: Fleet,
    figures: tuple[PoolFigures, ...],
    scored: Sequence[ScoredPool],
    profiles: Sequence[Profile],
    question: Question,
    *,
    compressor_cost: float = 0.0,
) -> Candidate:
    """Return a fleet as a candidate: `figures`, `scored` and the hardware in `profiles` are its pools', in order.

    `compressor_cost` are US dollars an hour of its compressor's cores.

    Raises InputError where every client leaves before a pool's first token.
    """
    for pool in fleet.pools:
        question.bounds.patience(pool.profile.front_end)
    counts = [(pool.gpus, profile) for pool, profile in zip(fleet.pools, profiles, strict=True)]
    cost = cost_of_pools(counts, whole_nodes=question.whole_nodes)
    outputs = sum(one.output_rate for one in scored)
    widest = least_known(profiles)
    return Candidate(
        gpus=fleet.gpus,
        cost_per_hour=cost,
        cost_per_million_output_tokens=per_million_tokens(cost, outputs),
        power=sum(one.power for one in figures),
        gpus_range=(_gpus(scored, 0), _gpus(scored, 1)),
        model_error=max(profile.model_error for profile in profiles),
        fleet=fleet,
        pools=figures,
        band=widest.band,
        speeds=widest.evidence,
        compressor_cost=compressor_cost,
    )


def _gpus(scored: Sequence[ScoredPool], end: int) -> int | None:
    """Return a fleet's GPUs at one end of the model error, None where no size holds."""
    total = sum(one.replicas_range[end] * one.pool.gpus_per_replica for one in scored)
    return int(total) if np.isfinite(total) else None


def shortfalls(candidate: Candidate, question: Question, terms: Terms, profiles: Sequence[Profile]) -> tuple[str, ...]:
    """Return the limits that a candidate breaks by formula, each with the value, the limit and the unit in SI.

    `profiles` are the hardware of its pools.
    """
    broken = [
        f"{limit.label} of pool {pool.name}: {pool.at(limit):.3g} s above {limit.seconds:.3g} s"
        for limit in terms.limits
        for pool in candidate.pools
        if pool.at(limit) > limit.seconds * (1.0 + 1e-9)
    ]
    return (*broken, *broken_constraints(candidate, question, profiles))


def broken_constraints(candidate: Candidate, question: Question, profiles: Sequence[Profile]) -> tuple[str, ...]:
    """Return the constraints on money, power and stock that a candidate breaks; `profiles` is as in `shortfalls`."""
    cost, watts = candidate.cost_per_hour, candidate.power
    return broken_by(candidate.fleet, cost=cost, watts=watts, question=question, profiles=profiles)


def broken_by(
    fleet: Fleet, *, cost: float, watts: float, question: Question, profiles: Sequence[Profile]
) -> tuple[str, ...]:
    """Return the same of a fleet at US dollars an hour and watts."""
    broken, taken = [], taken_by_fleet(fleet, profiles, whole_nodes=question.whole_nodes)
    if question.budget is not None and cost > question.budget * (1.0 + 1e-12):
        broken.append(f"budget: ${cost:.2f}/h above ${question.budget:.2f}/h")
    if question.max_power is not None and watts > question.max_power:
        broken.append(f"power: {watts / 1e3:.5g} kW above {question.max_power / 1e3:.5g} kW")
    if question.max_feed is not None and (drawn := feed(question, watts, fleet.gpus)) > question.max_feed:
        broken.append(f"feed: {drawn / 1e3:.5g} kW above {question.max_feed / 1e3:.5g} kW")
    if question.max_total_gpus is not None and sum(taken.values()) > question.max_total_gpus:
        broken.append(f"GPUs: {sum(taken.values())} above {question.max_total_gpus}")
    for gpu, most in question.max_gpus:
        if taken.get(gpu, 0) > most:
            broken.append(f"inventory: {taken[gpu]} {gpu} above {most}")
    return tuple(broken)
