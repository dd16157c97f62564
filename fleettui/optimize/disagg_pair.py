"""A profile that prefills beside one that decodes: what so many replicas of each do, and whether terms hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fleettui.domain.disagg import AT_ONCE, CacheSize, DisaggFigures, DisaggFleet, Handover, Links
from fleettui.domain.hardware import Profile
from fleettui.domain.limit import TPOT, Limit
from fleettui.domain.meter import feed
from fleettui.domain.scenario import Question
from fleettui.optimize.costs import cost_of_pools, taken_by_type
from fleettui.optimize.disagg_beside import Beside
from fleettui.optimize.disagg_roles import DecodeRole, PrefillRole, Short, Stretch
from fleettui.optimize.spares import spares
from fleettui.optimize.terms import ROUNDING, Terms
from fleettui.optimize.watts import most_watts, working_watts
from fleettui.queueing.arrays import FloatArray
from fleettui.queueing.latency import PoolLoad
from fleettui.queueing.metric_formulas import FORMULAS, Ways
from fleettui.queueing.metric_formulas import Way as MetricWay
from fleettui.queueing.tails import Tail, mixture_percentile
from fleettui.queueing.tandem import PrefillLoad, link_wait, tandem_tail
from fleettui.queueing.waiting import WaitTail


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A profile that prefills and one that decodes, under the time slices of a question."""

    prefill: PrefillRole
    decode: DecodeRole
    links: Links
    cache: CacheSize
    stretches: Sequence[Stretch]
    question: Question
    terms: Terms
    handover: Handover = AT_ONCE

    def ways(self, replicas: int, decoding: int) -> list[Way]:
        """Return a request's way through so many replicas of each, per time slice."""
        return [
            Way(pair=self, stretch=stretch, prefill=prefill, decode=decode, short=short, replicas=(replicas, decoding))
            for stretch, prefill, decode, short in zip(
                self.stretches, self.prefill.at(replicas), self.decode.at(decoding), self.decode.short, strict=True
            )
        ]

    def holds(self, replicas: int, decoding: int) -> bool:
        """Return whether so many replicas of each keep every limit and the utilization cap."""
        return all(way.holds() for way in self.ways(replicas, decoding))

    def cost(self, replicas: int, decoding: int) -> float:
        """Return US dollars an hour, spares and whole nodes counted as the question asks."""
        return cost_of_pools(self._counts(replicas, decoding), whole_nodes=self.question.whole_nodes)

    def worth(self, replicas: int, decoding: int) -> tuple[float, float]:
        """Return what fleets are ranked by: cost or GPUs first, as the question's objective is."""
        cost, gpus = self.cost(replicas, decoding), sum(count for count, _ in self._counts(replicas, decoding))
        return (float(gpus), cost) if self.question.objective == "gpus" else (cost, float(gpus))

    def allowed(self, replicas: int, decoding: int) -> bool:
        """Return whether a fleet is within budget, stock and watts; prefill counts at the most that its GPUs draw."""
        asked = self.question
        if asked.budget is not None and self.cost(replicas, decoding) > asked.budget * (1.0 + ROUNDING):
            return False
        taken = taken_by_type(self._counts(replicas, decoding), whole_nodes=asked.whole_nodes)
        if asked.max_total_gpus is not None and sum(taken.values()) > asked.max_total_gpus:
            return False
        if any(taken.get(gpu, 0) > most for gpu, most in asked.max_gpus):
            return False
        if asked.max_power is None and asked.max_feed is None:
            return True
        watts, gpus = self._watts(replicas, decoding), sum(count for count, _ in self._counts(replicas, decoding))
        within = asked.max_power is None or watts <= asked.max_power
        return within and (asked.max_feed is None or feed(asked, watts, gpus) <= asked.max_feed)

    def _watts(self, replicas: int, decoding: int) -> float:
        profile = self.prefill.profile
        drawn = [float(working_watts(self.decode.profile, one)[0]) for one in self.decode.at(decoding)]
        return max(drawn) + replicas * profile.gpus_per_replica * most_watts(profile)

    def _counts(self, replicas: int, decoding: int) -> list[tuple[int, Profile]]:
        pairs = ((self.prefill.profile, replicas), (self.decode.profile, decoding))
        return [((count + spares(count, one, self.question)) * one.gpus_per_replica, one) for one, count in pairs]

    def figures(self, replicas: int, decoding: int) -> DisaggFigures:
        """Return a fleet of this pair with its figures, each of the time slice in which it is worst."""
        ways = self.ways(replicas, decoding)
        counts = ((self.prefill, replicas), (self.decode, decoding))
        prefill, decode = (
            replace(role.pool, replicas=count, spares=spares(count, role.profile, self.question))
            for role, count in counts
        )
        fleet = DisaggFleet(
            prefill=prefill,
            decode=decode,
            links=self.links,
            cache=self.cache,
            router=self.question.router,
            handover=self.handover,
        )
        exceeded = self.terms.exceeded
        return DisaggFigures(
            fleet=fleet,
            cost=self.cost(replicas, decoding),
            ttft=max(mixture_percentile([(own.ttft(), part) for own, part in way.every], exceeded) for way in ways),
            tpot=max(float(self.terms.percentile(way.decode, TPOT.latency)[0]) for way in ways),
            e2e=max(mixture_percentile([(own.e2e(), part) for own, part in way.every], exceeded) for way in ways),
            wait=max(float(way.prefill.wait.percentile(exceeded)) for way in ways),
            transfer=max(way.transfer for way in ways),
            prefill_busy=max(way.prefill.utilization for way in ways),
            decode_busy=max(float(way.decode.occupancy.utilization[0]) for way in ways),
            link_busy=max(way.link_busy for way in ways),
            batch=max(float(way.decode.occupancy.batch[0]) for way in ways),
            stays=max(way.short.share for way in ways),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A request's way through a disaggregated fleet in one time slice."""

    pair: Pair
    stretch: Stretch
    prefill: PrefillLoad
    decode: PoolLoad
    short: Short
    replicas: tuple[int, int]

    @property
    def link_busy(self) -> float:
        """Bytes per second over what the links of the narrower side move."""
        links, (prefills, decodes) = self.pair.links, self.replicas
        moved = self.stretch.rate * float(self.stretch.weight @ self.stretch.bytes)
        return moved / min(links.prefill * prefills, links.decode * decodes)

    @property
    def lane(self) -> float:
        """Bytes per second of one lane's link, which has its part of its replica's."""
        links, pair = self.pair.links, self.pair
        return min(links.prefill / pair.prefill.profile.batches, links.decode / pair.decode.profile.batches)

    @property
    def transfer(self) -> float:
        """Mean seconds of a transfer, others on its link counted."""
        alone = float(self.stretch.weight @ self.stretch.bytes) / self.lane
        busy = self.link_busy
        return self.pair.links.latency + alone / (1.0 - busy) if busy < 1.0 else math.inf

    @property
    def every(self) -> Ways:
        """The ways that requests go, this one and that of short prompts, with the share of them on each."""
        beside = self.short.share
        own: list[tuple[MetricWay, float]] = [(self, 1.0 - beside)]
        if beside:
            own.append((Beside(decode=self.decode, rows=self.short.rows, stable=self.stable), beside))
        return own

    @property
    def output(self) -> FloatArray:
        """The output tokens of each atom."""
        return self.stretch.output

    @property
    def stable(self) -> bool:
        """Whether every part of the way keeps up."""
        busy = (self.prefill.utilization, self.link_busy, float(self.decode.occupancy.utilization[0]))
        return max(busy) < 1.0

    def own_ttft(self) -> FloatArray:
        """Return each atom's own seconds to its first token, which the prefill makes and comes with the cache.

        That sets out at the end of a decode step: half of one is waited for. Where decode sends the first token, half
        of one is waited for when the cache lands, and the next one makes the token. Of a cache that leaves in parts,
        the last is left at the end of its prompt, and what the link did not move while it was computed.
        """
        front = max(self.pair.prefill.profile.front_end, self.pair.decode.profile.front_end)
        steps = 0.5 if self.pair.handover.sent else 2.0
        beside = front + self.pair.links.latency + steps * float(self.decode.occupancy.step[0])
        return beside + self.prefill.delays + self.seen_transfer

    @property
    def seen_transfer(self) -> FloatArray:
        """The seconds of each atom's transfer, alone on its link, that its first token waits for."""
        alone, parts = self.stretch.bytes / self.lane, self.pair.handover.parts
        if parts == 1:
            return alone
        return np.maximum(alone / parts, alone - self.prefill.alone)

    def ttft(self) -> Tail:
        """Return the tail of the time to the first token: prefill, a place in a decode batch, the link."""
        mean = float(self.stretch.weight @ self.stretch.bytes) / self.lane
        place = WaitTail(self.decode.place.probability[0], self.decode.place.rate[0])
        waits = [self.prefill.wait, place, link_wait(self.link_busy, mean)]
        return tandem_tail(self.own_ttft(), self.stretch.weight, waits, stable=self.stable)

    def e2e(self) -> Tail:
        """Return the tail of the time to the last token."""
        load, occupancy = self.decode, self.decode.occupancy
        later = np.maximum(self.stretch.output - 1.0, 0.0)
        batch = np.minimum(occupancy.batch[0], load.service.concurrency[0] - 1.0)
        step = float(occupancy.near.base[0] + occupancy.per_sequence[0] * batch)
        first = self.ttft()
        return replace(first, delays=first.delays + later * step) if self.stable else first

    def holds(self) -> bool:
        """Return whether every limit and the utilization cap hold."""
        terms = self.pair.terms
        most = terms.max_utilization * (1.0 + ROUNDING)
        if not self.stable or max(self.prefill.utilization, float(self.decode.occupancy.utilization[0])) > most:
            return False
        return all(self._within(limit) for limit in terms.limits)

    def _within(self, limit: Limit) -> bool:
        return FORMULAS[limit.metric].holds_on(self.every, limit.seconds, self.pair.terms.beyond(limit))
