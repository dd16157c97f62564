"""One kept plan's fleet under deeper and deeper caps: how deep it keeps its limits by formula, and as simulated."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from fleettui.domain.limit import TPOT, TTFT, Latency
from fleettui.domain.plan import Candidate, Evidence
from fleettui.domain.power_levels import PowerLevel, ProvenLevel
from fleettui.domain.scenario import Question
from fleettui.planning.capped_proof import CappedProof
from fleettui.planning.prepared_fleet import SceneSource

if TYPE_CHECKING:
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext

CLOCKS = tuple(percent / 100.0 for percent in range(100, 4, -1))
"""Shares of their limits at which GPUs are capped."""
BATCHES = tuple(0.5 ** (step / 4.0) for step in range(41))
"""Shares of the sequences that run at once."""
MOST_TRIES, LEAST_DEEPER = 3, 0.02
"""Depths that are simulated at most, and how much deeper than one that held another must be to be tried."""
INSIDE = 0.98
"""How far inside its limits a level is by formula that is simulated: what lies at a limit takes longest to prove."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerTrials:
    """The fleet `best` of a kept plan under caps."""

    desk: StudyContext
    kept: KeptPlan
    best: Candidate

    @property
    def question(self) -> Question:
        """What the plan answers."""
        return self.kept.question

    @property
    def source(self) -> SceneSource:
        """The plan's scene, without caps."""
        return self.kept.source(f"power {self.kept.id}", self.kept.profiles)

    async def levels(self) -> tuple[tuple[PowerLevel, ...], tuple[PowerLevel, ...]]:
        """Return the fleet under caps on its clocks, then under caps on its batches, deeper and deeper, by formula."""
        work = [
            self.desk.run(
                "power-levels",
                tuple[PowerLevel, ...],
                source=self.source,
                fleet=self.best.fleet,
                kind=kind,
                shares=shares,
            )
            for kind, shares in (("clock", CLOCKS), ("batch", BATCHES))
        ]
        clocks, batches = await self.desk.each(work, "capping the fleet")
        return clocks, batches

    def corrected(
        self, levels: tuple[PowerLevel, ...], *seen: tuple[PowerLevel, Evidence | None]
    ) -> tuple[PowerLevel, ...]:
        """Return levels whose latencies are the formula's times what was `seen` over its own at levels by formula.

        Between two levels that were seen the factor is on a line of its logarithm, beyond them that of the nearest.
        """
        known = sorted(((one, found) for one, found in seen if found is not None), key=lambda pair: pair[0].share)
        if not known:
            return levels
        limits = self.question.slo.limits()
        ttft = [(one.share, _factor(found, TTFT.latency, one.ttft)) for one, found in known]
        tpot = [(one.share, _factor(found, TPOT.latency, one.tpot)) for one, found in known]
        own = [
            [(one.share, _factor(found, limit, one.latencies[place])) for one, found in known]
            for place, limit in enumerate(limits)
        ]
        return tuple(
            replace(
                one,
                ttft=_times(one.ttft, _between(ttft, one.share)),
                tpot=_times(one.tpot, _between(tpot, one.share)),
                latencies=tuple(
                    _times(value, _between(factors, one.share))
                    for value, factors in zip(one.latencies, own, strict=True)
                ),
            )
            for one in levels
        )

    def keeps(self, level: PowerLevel, inside: float = 1.0) -> bool:
        """Return whether every limit on latency is kept at a level, or so far inside it."""
        pairs = zip(level.latencies, self.question.held_limits(), strict=True)
        return all(value is not None and value <= limit.seconds * inside for value, limit in pairs)

    def deepest(self, levels: tuple[PowerLevel, ...], inside: float = 1.0, above: float = 0.0) -> PowerLevel | None:
        """Return the deepest of `levels` down to which all keep the limits, None where not even the first does.

        The limits are kept so far `inside`, and the share of it is above one that failed.
        """
        held = takewhile(lambda one: one.share > above and self.keeps(one, inside), levels)
        return next(iter(deque(held, maxlen=1)), None)

    async def proven(self, clocks: tuple[PowerLevel, ...]) -> tuple[tuple[PowerLevel, ...], ProvenLevel]:
        """Simulate the fleet at the deepest of `clocks`, and where its runs show that another is.

        Return the levels too, corrected by what the simulations showed.
        """
        seen: list[tuple[PowerLevel, Evidence | None]] = [(clocks[0], self.best.simulation)]
        levels, tried, held, reason = self.corrected(clocks, *seen), list[float](), None, ""
        failed = 0.0
        while len(tried) < MOST_TRIES and (level := self.deepest(levels, INSIDE, failed)) is not None:
            if level.share == 1.0 or (held is not None and level.share > held.share - LEAST_DEEPER):
                break
            evidence, reason = await self._simulated(level.share)
            if evidence is None:
                break
            tried.append(level.share)
            if evidence.verdict == "pass":
                held = _Held(share=level.share, evidence=evidence)
            else:
                failed = level.share
            seen.append((next(one for one in clocks if one.share == level.share), evidence))
            levels = self.corrected(clocks, *seen)
        return levels, _proven(held, tuple(tried), reason)

    async def _simulated(self, share: float) -> tuple[Evidence | None, str]:
        """Return the evidence on the fleet at a cap, and why there is none where there is none."""
        seed = self.kept.answer.plan.seed
        proof = CappedProof(workers=self.desk.workers, source=self.source, seed=seed, tell=self.desk.tell)
        return await proof.evidence(self.best.fleet, share)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """A cap that held, and what the runs showed."""

    share: float
    evidence: Evidence


def _proven(held: _Held | None, tried: tuple[float, ...], reason: str) -> ProvenLevel:
    if held is None:
        return ProvenLevel(share=None, ttft=None, tpot=None, tried=tried, runs=0, reason=reason)
    seen = held.evidence
    return ProvenLevel(
        share=held.share,
        ttft=_seen(seen, TTFT.latency),
        tpot=_seen(seen, TPOT.latency),
        tried=tried,
        runs=seen.replications,
        reason=reason,
    )


def _factor(seen: Evidence, latency: Latency, formula: float | None) -> float:
    """Return what was seen of a latency over what the formula says."""
    value = _seen(seen, latency)
    return value / formula if value and formula else 1.0


def _between(known: Sequence[tuple[float, float]], share: float) -> float:
    """Return the factor at a share of the limit from those at `known` shares, the least first."""
    place = bisect_left(known, (share, 0.0))
    if 0 < place < len(known):
        (low, before), (high, after) = known[place - 1 : place + 1]
        return float(before * (after / before) ** ((share - low) / (high - low)))
    return known[min(place, len(known) - 1)][1]


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _seen(evidence: Evidence, latency: Latency) -> float | None:
    """Return the latency of the worst pool as it was seen, None where none was."""
    found = [pool.at(latency).value for pool in evidence.pools]
    return max((value for value in found if value is not None), default=None)
