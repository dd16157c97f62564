"""Every fleet of three architectures within a number of GPUs, scored by formula at a question's rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fleettui.domain.disagg import CacheSize, Links
from fleettui.domain.fleet import FleetSketch, PoolSketch
from fleettui.domain.frontier import ARCHITECTURES, Architecture, FrontierPoint, FrontierTried, unbeaten
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Architectures:
    """What may be built of so many `gpus`: replicas that do both, prefill or decode, and AFD ones by layout.

    No replica of `profiles` has more GPUs than that. Of architectures there are `only` these.
    """

    question: Question
    slices: Slices
    context: int
    gpus: int
    profiles: Sequence[Profile]
    afd: Sequence[tuple[str, Profile]]
    cache: CacheSize
    links_of: Callable[[Profile, Profile], Links]
    only: tuple[Architecture, ...] = ARCHITECTURES

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

    def tried(self, check: Callable[[], None]) -> FrontierTried:
        """Return the fleets that keep up, without those that another of their architecture beats."""
        found, scored = list[FrontierPoint](), 0
        for points in (self._together(check), self._apart(check)):
            for point in points:
                scored += 1
                if math.isfinite(point.ttft) and math.isfinite(point.tpot):
                    found.append(point)
        by = [unbeaten(one for one in found if one.architecture == name) for name in self.only]
        return FrontierTried(points=tuple(one for points in by for one in points), scored=scored)

    def most_rate(self) -> float:
        """Return the requests per second above which no fleet may be as busy, by the work of replicas at this rate."""
        scored = filter(None, map(self.score_together, self._sketches()))
        together = max((self.rate / one.candidate.pools[0].utilization for one in scored), default=0.0)
        prefill = min((self._gpu_work(one, one.at(1), 1) for one in self._prefills()), default=math.inf)
        decodes = (one for _, _, one in self._decodes(lambda: None))
        decode = min((self._gpu_work(one, one.at(one.least), one.least) for one in decodes), default=math.inf)
        return self.question.max_utilization * max(together, self.rate * self.gpus / (prefill + decode))

    @staticmethod
    def _gpu_work(
        role: PrefillRole | DecodeRole, loads: Sequence[PrefillLoad] | Sequence[PoolLoad], replicas: int
    ) -> float:
        """Return how many GPUs a role keeps busy all the time, where so many replicas have these loads."""
        busy = (
            one.utilization if isinstance(one, PrefillLoad) else float(one.occupancy.utilization[0]) for one in loads
        )
        return role.profile.gpus_per_replica * replicas * max(busy)

    def _sketches(self) -> Iterator[FleetSketch]:
        """Yield fleets whose replicas do both, at their engine's own token budget and at others."""
        for profile in self.profiles:
            settings = profile.settings
            own = {settings.token_budget, *(one for one in BUDGETS if one >= settings.max_num_seqs)}
            for budget in sorted(own):
                yield FleetSketch(
                    router=self.question.router,
                    admission=self.question.admission,
                    pools=(
                        PoolSketch(
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
                        ),
                    ),
                )

    def score_together(self, sketch: FleetSketch) -> ScoredFleet | None:
        """Return a fleet whose replicas do both, scored at its own size alone; None where they can hold no request."""
        pool = sketch.pools[0]
        profile = next(one for one in self.profiles if one.replica_key == pool.replica_key)
        try:
            return score(self.question, sketch, [profile], self.slices, self.context, ranged=False)
        except InputError:
            return None

    def _together(self, check: Callable[[], None]) -> Iterator[FrontierPoint]:
        for sketch in self._sketches() if "together" in self.only else ():
            check()
            found = self.score_together(sketch)
            if found is None or found.candidate.pools[0].utilization > self._most_busy:
                continue
            pool, fleet = found.candidate.pools[0], found.candidate.fleet
            yield FrontierPoint(
                architecture="together",
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

    @property
    def _most_busy(self) -> float:
        return self.question.max_utilization * (1.0 + ROUNDING)

    def _prefills(self) -> list[PrefillRole]:
        some = (prefill_role(one, self.question, self.slices, self.context) for one in self.profiles if one.pp == 1)
        return [one for one in some if one is not None]

    def _decodes(self, check: Callable[[], None]) -> Iterator[tuple[Architecture, str, DecodeRole]]:
        for profile in self.profiles if "apart" in self.only else ():
            check()
            role = None if profile.pp > 1 else decode_role(profile, self.question, self.slices, self.context)
            if role is not None:
                yield "apart", "", role
        for layout, profile in self.afd if "afd" in self.only else ():
            check()
            role = decode_role(profile, self.question, self.slices, self.context)
            if role is not None:
                yield "afd", layout, role

    def _apart(self, check: Callable[[], None]) -> Iterator[FrontierPoint]:
        prefills = self._prefills()
        for architecture, layout, decode in self._decodes(check):
            for prefill in prefills:
                pair = self.pair(prefill, decode)
                for replicas, decoding in self._splits(prefill, decode):
                    check()
                    figures = pair.figures(replicas, decoding)
                    if max(figures.prefill_busy, figures.decode_busy, figures.link_busy) > self._most_busy:
                        continue
                    yield FrontierPoint(
                        architecture=architecture,
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

    def _splits(self, prefill: PrefillRole, decode: DecodeRole) -> Iterator[tuple[int, int]]:
        """Yield numbers of replicas that prefill, with as many that decode as the other GPUs make."""
        first, then = prefill.profile.gpus_per_replica, decode.profile.gpus_per_replica
        most = (self.gpus - decode.least * then) // first
        counts = range(prefill.least, most + 1)
        step = max(1, math.ceil(len(counts) / MOST_SPLITS))
        for replicas in counts[::step]:
            yield replicas, (self.gpus - replicas * first) // then
