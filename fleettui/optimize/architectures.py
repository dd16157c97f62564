"""Every fleet of the serving architectures within a number of GPUs, scored by formula at a question's rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fleettui.architectures import ARCHITECTURES
from fleettui.architectures.architecture import Architecture, Replicas
from fleettui.domain.disagg import CacheSize, DisaggFigures, Links
from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.domain.frontier import FrontierPoint, FrontierTried, unbeaten
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.optimize.disagg_pair import Pair
from fleettui.optimize.disagg_roles import DecodeRole, PrefillRole, decode_role, prefill_role, stretches
from fleettui.optimize.given_fleet import ScoredFleet, score
from fleettui.optimize.ranges import Slices
from fleettui.optimize.terms import ROUNDING, Terms
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.tandem import PrefillLoad

MOST_SPLITS = 8
"""Numbers of replicas that prefill which are tried for each pair, spread evenly, where there are more."""
BUDGETS = (512, 2048)
"""Token budgets of replicas that do both, tried beside the engine's own."""
Prefills = dict[Replicas, list[PrefillRole]]
"""What replicas that prefill do, worked out once for all architectures that have them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Architectures:
    """What may be built of so many `gpus`: replicas that do both, prefill or decode, and AFD ones by layout.

    No replica of `profiles` has more GPUs than that. Of architectures there are `only` these, all where none is named.
    """

    question: Question
    slices: Slices
    context: int
    gpus: int
    profiles: Sequence[Profile]
    afd: Sequence[tuple[str, Profile]]
    cache: CacheSize
    links_of: Callable[[Profile, Profile], Links]
    only: tuple[str, ...] = ()

    @property
    def rate(self) -> float:
        """Requests per second, of the time slice with most."""
        return max(rate for rate, _ in self.slices)

    @property
    def tokens(self) -> float:
        """Output tokens per second, of the time slice with most."""
        return max(
            rate * sum(one[0] * one[2] for one in atoms) / sum(one[0] for one in atoms) for rate, atoms in self.slices
        )

    @property
    def chosen(self) -> tuple[Architecture, ...]:
        """The architectures of which fleets are built."""
        return tuple(one for one in ARCHITECTURES if not self.only or one.name in self.only)

    def tried(self, check: Callable[[], None]) -> FrontierTried:
        """Return the fleets that keep up, without those that another of their architecture beats."""
        found, scored, prefills = list[FrontierPoint](), 0, Prefills()
        for architecture in self.chosen:
            points = list(self._points(architecture, prefills, check))
            scored += len(points)
            found += unbeaten(one for one in points if math.isfinite(one.ttft) and math.isfinite(one.tpot))
        return FrontierTried(points=tuple(found), scored=scored)

    def most_rate(self) -> float:
        """Return the requests per second above which no fleet may be as busy, by the work of replicas at this rate."""
        prefills = Prefills()
        return self.question.max_utilization * max(
            (rate for one in self.chosen for rate in self._busy_rates(one, prefills)), default=0.0
        )

    def replicas_of(self, point: FrontierPoint) -> tuple[Profile, ...]:
        """Return the replicas of a point's fleet that this bench has, in the order of a request's way."""
        fleet, architecture = point.together or point.apart, ARCHITECTURES.named(point.architecture)
        assert fleet is not None, "a point has one of two fleets"
        sides = filter(None, (architecture.first, architecture.then))
        layouts = ("",) * (len(fleet.pools) - 1) + (point.layout,)
        return tuple(
            next(
                profile
                for layout, profile in side.built(self)
                if (layout, profile.replica_key) == (known, pool.replica_key)
            )
            for side, pool, known in zip(sides, fleet.pools, layouts, strict=True)
        )

    def score_together(self, sketch: FleetSketch, profile: Profile) -> ScoredFleet | None:
        """Return a fleet whose replicas do both, scored at its own size alone; None where they can hold no request."""
        try:
            return score(self.question, sketch, [profile], self.slices, self.context, ranged=False)
        except InputError:
            return None

    def pair(self, prefill: PrefillRole, decode: DecodeRole) -> Pair:
        """Return a replica that prefills beside one that decodes."""
        return Pair(
            prefill=prefill,
            decode=decode,
            links=self.links_of(prefill.profile, decode.profile),
            stretches=stretches(prefill, self.question, self.slices, self.cache),
            cache=self.cache,
            question=self.question,
            terms=Terms.of(self.question),
        )

    def _points(
        self, architecture: Architecture, prefills: Prefills, check: Callable[[], None]
    ) -> Iterator[FrontierPoint]:
        if architecture.then is None:
            return self._together(architecture, check)
        return self._apart(architecture, architecture.then, prefills, check)

    def _busy_rates(self, architecture: Architecture, prefills: Prefills) -> Iterator[float]:
        """Yield the rates at which replicas of an architecture would be busy all the time."""
        if architecture.then is None:
            for sketch, profile in self._sketches(architecture):
                scored = self.score_together(sketch, profile)
                if scored is not None:
                    yield self.rate / scored.candidate.pools[0].utilization
            return
        decodes = (one for _, one in self._decodes(architecture.then, lambda: None))
        decode = min((_gpu_work(one, one.at(one.least), one.least) for one in decodes), default=math.inf)
        some = self._prefills(architecture.first, prefills)
        prefill = min((_gpu_work(one, one.at(1), 1) for one in some), default=math.inf)
        yield self.rate * self.gpus / (prefill + decode)

    def _sketches(self, architecture: Architecture) -> Iterator[tuple[FleetSketch, Profile]]:
        """Yield fleets whose replicas do both, at their engine's own token budget and at others."""
        for _, profile in architecture.first.built(self):
            settings = profile.settings
            own = {settings.token_budget, *(one for one in BUDGETS if one >= settings.max_num_seqs)}
            for budget in sorted(own):
                pool = PoolSketch(
                    gpu=profile.gpu,
                    model=profile.model,
                    dtype=profile.dtype,
                    kv_dtype=profile.kv_dtype,
                    tp=profile.tp,
                    replicas=self.gpus // profile.gpus_per_replica,
                    token_budget=budget,
                    expert_parallel=profile.expert_parallel,
                    attention_dp=profile.attention_dp,
                    layout=profile.layout,
                    pp=profile.pp,
                )
                asked = self.question
                yield FleetSketch(router=asked.router, admission=asked.admission, pools=(pool,)), profile

    def _together(self, architecture: Architecture, check: Callable[[], None]) -> Iterator[FrontierPoint]:
        for sketch, profile in self._sketches(architecture):
            check()
            found = self.score_together(sketch, profile)
            if found is None or found.candidate.pools[0].utilization > self._most_busy:
                continue
            pool, fleet = found.candidate.pools[0], found.candidate.fleet
            yield FrontierPoint(
                architecture=architecture.name,
                together=fleet,
                apart=None,
                layout="",
                rate=self.rate,
                tokens=self.tokens,
                gpus=fleet.gpus,
                cost=found.candidate.cost_per_hour,
                ttft=pool.ttft,
                tpot=pool.tpot,
            )

    def keeps_up(self, figures: DisaggFigures) -> bool:
        """Return whether no part of a fleet of two sides is busier than the question allows."""
        return max(figures.prefill_busy, figures.decode_busy, figures.link_busy) <= self._most_busy

    @property
    def _most_busy(self) -> float:
        return self.question.max_utilization * (1.0 + ROUNDING)

    def _prefills(self, side: Replicas, known: Prefills) -> list[PrefillRole]:
        """Return what replicas of a side do that only prefill; pipelines are left out."""
        if side not in known:
            some = (one for _, one in side.built(self) if one.pp == 1)
            roles = (prefill_role(one, self.question, self.slices, self.context) for one in some)
            known[side] = [one for one in roles if one is not None]
        return known[side]

    def _decodes(self, side: Replicas, check: Callable[[], None]) -> Iterator[tuple[str, DecodeRole]]:
        """Yield what replicas of a side do that only decode, by their layouts; pipelines are left out."""
        for layout, profile in side.built(self):
            check()
            role = None if profile.pp > 1 else decode_role(profile, self.question, self.slices, self.context)
            if role is not None:
                yield layout, role

    def _apart(
        self, architecture: Architecture, then: Replicas, known: Prefills, check: Callable[[], None]
    ) -> Iterator[FrontierPoint]:
        prefills = self._prefills(architecture.first, known)
        for layout, decode in self._decodes(then, check):
            for prefill in prefills:
                pair = self.pair(prefill, decode)
                for replicas, decoding in self._splits(prefill, decode):
                    check()
                    figures = pair.figures(replicas, decoding)
                    if not self.keeps_up(figures):
                        continue
                    yield FrontierPoint(
                        architecture=architecture.name,
                        together=None,
                        apart=figures.fleet,
                        layout=layout,
                        rate=self.rate,
                        tokens=self.tokens,
                        gpus=figures.fleet.gpus,
                        cost=figures.cost,
                        ttft=figures.ttft,
                        tpot=figures.tpot,
                    )

    def _splits(self, prefill: PrefillRole, decode: DecodeRole) -> Iterator[tuple[int, int]]:
        """Yield numbers of replicas that prefill, with as many that decode as the other GPUs make."""
        first, then = prefill.profile.gpus_per_replica, decode.profile.gpus_per_replica
        most = (self.gpus - decode.least * then) // first
        counts = range(prefill.least, most + 1)
        step = max(1, math.ceil(len(counts) / MOST_SPLITS))
        for replicas in counts[::step]:
            yield replicas, (self.gpus - replicas * first) // then


def _gpu_work(
    role: PrefillRole | DecodeRole, loads: Sequence[PrefillLoad] | Sequence[PoolLoad], replicas: int
) -> float:
    """Return how many GPUs a role keeps busy all the time, where so many replicas have these loads."""
    busy = (one.utilization if isinstance(one, PrefillLoad) else float(one.occupancy.utilization[0]) for one in loads)
    return role.profile.gpus_per_replica * replicas * max(busy)
