"""One kept plan's fleet with replicas down: whether what is left holds, and what an outage does to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from fleettui.domain.failing import AsTheyCome, Case, FailingRun, Odds, Outage, Steady
from fleettui.domain.failures import Failures
from fleettui.domain.fleet import Fleet
from fleettui.domain.limit import Limit
from fleettui.domain.plan import LEAST_RUNS, Candidate, Estimate, Evidence, PoolEvidence, Verdict
from fleettui.domain.seen_fleets import make_of
from fleettui.domain.simulation import PoolLength, Replication
from fleettui.domain.slo import Slo
from fleettui.domain.stretch import Burst, PoolStretch
from fleettui.planning.anchors import simulated_of
from fleettui.planning.prepared_fleet import PreparedFleet, SceneSource, prepared
from fleettui.planning.rounds import Rounds, takes_minutes

if TYPE_CHECKING:
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext

UNKNOWN = Estimate(value=None)
DECIDED = ("pass", "fail")

PLAINLY = 10.0
"""How many times more requests than the limits allow must break them in an outage for it to decide on what is left.

So few as are lost with a replica when it fails do not.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureTrials:
    """The fleet of a kept plan with its spares, which serve too, as it is `held`."""

    desk: StudyContext
    kept: KeptPlan
    held: PreparedFleet

    @property
    def source(self) -> SceneSource:
        """The plan's scene."""
        return source_of(self.kept)

    @property
    def fleet(self) -> Fleet:
        """The fleet with all that it holds."""
        return self.held.candidate.fleet

    @property
    def spares(self) -> tuple[int, ...]:
        """The spare replicas of each pool, which `fleet` counts with the others."""
        return tuple(pool.spares for pool in self.kept.fleet_for("").fleet.pools)

    async def steady(self, case: Case) -> Steady:
        """Return whether what is left holds while a case lasts."""
        left = tuple(pool.replicas - down for pool, down in zip(self.fleet.pools, case.down, strict=True))
        for pool, size in zip(self.fleet.pools, left, strict=True):
            if size < 1:
                return _fails(f"nothing is left of pool {pool.name}")
        stage = await stage_of(self.desk, self.kept, self.fleet, left)
        if max(stage.utilization) >= 1.0:
            return _fails(stage.unstable or "its queue grows without end")
        if takes_minutes(stage):
            return Steady(verdict="unproven", simulated=False, ttft=UNKNOWN, met=UNKNOWN, reason="a tail of minutes")
        found = await self._evidence(case, stage)
        if case.slow is None:
            found = as_proven(found, stage.candidate, simulated_of(self.kept.answer))
        return Steady(
            verdict=found.verdict,
            simulated=True,
            ttft=max((pool.ttft for pool in found.pools), key=lambda one: one.value or 0.0),
            met=found.attainment,
            limited=tuple((limit.name, _longest(found, limit)) for limit in self.kept.question.slo.limits()),
            reason=found.reason,
        )

    async def _evidence(self, case: Case, stage: PreparedFleet) -> Evidence:
        question = self.kept.question
        rounds = Rounds(
            workers=self.desk.workers,
            source=self.source,
            seed=self.kept.answer.plan.seed,
            precision=question.precision,
            most=LEAST_RUNS,
        )
        run = partial(self._replicate, stage.candidate.fleet, case.slow)
        return await rounds.evidence(stage, run, {}, partial(self.desk.tell, f"simulating {case.name}"))

    async def _replicate(
        self, fleet: Fleet, slow: float | None, lengths: tuple[PoolLength, ...], index: int
    ) -> Replication:
        return await self.desk.run(
            "verification-replicate",
            Replication,
            source=self.source,
            fleet=fleet,
            lengths=lengths,
            seed=self.kept.answer.plan.seed,
            index=index,
            bare=True,
            slow=slow,
        )

    async def outages(
        self, cases: Sequence[Case], window: Burst, *, runs: int, warm: float, step: float
    ) -> tuple[Outage, ...]:
        """Return what each case does as an outage in the `window`; every case meets the same requests, run by run."""

        async def played(case: Case, index: int) -> tuple[PoolStretch, ...]:
            return await self.desk.run(
                "burst-replay",
                tuple[PoolStretch, ...],
                source=self.source,
                fleet=self.fleet,
                windows=tuple(replace(window, down=down, lost=True, slow=case.slow) for down in case.down),
                warm=warm,
                step=step,
                seed=self.kept.answer.plan.seed,
                index=index,
            )

        found = await self.desk.each(
            (played(case, index) for case in cases for index in range(runs)), "playing outages"
        )
        rows = [found[at : at + runs] for at in range(0, len(found), runs)]
        share = self.kept.question.slo.percentile
        return await self.desk.run("failures-judge", tuple[Outage, ...], cases=rows, share=share, step=step)

    async def come(
        self, failures: Failures, repair: float, load: float, seconds: float, *, runs: int, warm: float, odds: Odds
    ) -> AsTheyCome:
        """Return what runs of so many `seconds` come to in which hardware fails at random."""
        places = range(len(self.fleet.pools))

        async def played(index: int, place: int) -> FailingRun:
            return await self.desk.run(
                "failures-play",
                FailingRun,
                source=self.source,
                fleet=self.fleet,
                place=place,
                spares=self.spares[place],
                failures=failures,
                repair=repair,
                load=load,
                seconds=seconds,
                warm=warm,
                seed=self.kept.answer.plan.seed,
                index=index,
            )

        keys = [(index, place) for index in range(runs) for place in places]
        found = await self.desk.each((played(*key) for key in keys), "playing failures as they come")
        rows = [found[at : at + len(places)] for at in range(0, len(found), len(places))]
        return await self.desk.run("failures-come", AsTheyCome, runs=rows, seconds=seconds, expected=odds.no_more[0])


def as_proven(found: Evidence, left: Candidate, tried: Sequence[Candidate]) -> Evidence:
    """Return the evidence on what is `left` of a fleet, with more proof of its pools where it proves nothing of them.

    That is of a pool of as many replicas in the fleets of a plan that were `tried`, which differ in sizes alone: its
    pools are apart, so that the others do not matter to it.
    """
    alike = [one for one in tried if one.simulation is not None and make_of(one) == make_of(left)]

    def proven(place: int, own: PoolEvidence) -> PoolEvidence:
        size = left.fleet.pools[place].replicas
        known = (one.simulated_pools[place] for one in alike if one.fleet.pools[place].replicas == size)
        return own if own.verdict in DECIDED else next((one for one in known if one.verdict in DECIDED), own)

    pools = tuple(proven(place, own) for place, own in enumerate(found.pools))
    if found.verdict != "unproven" or pools == found.pools:
        return found
    verdicts = {pool.verdict for pool in pools}
    verdict: Verdict = "fail" if "fail" in verdicts else "pass" if verdicts == {"pass"} else "unproven"
    reason = "as the plan's own proof of it shows" if verdict in DECIDED else found.reason
    return replace(found, pools=pools, verdict=verdict, reason=reason)


def settled(left: Steady, outage: Outage, slo: Slo) -> Steady:
    """Return what is known of what is left in a case, with its outage where its own runs proved nothing.

    A fleet that is over its capacity has no tail that runs could settle; the outage, which begins with a fleet that is
    up and not late, shows it all the same. Its figures are the outage's then.
    """
    allowed, high = sum(1.0 - slo.share(limit) for limit in slo.limits()), outage.inside.high
    if left.verdict != "unproven" or high is None or 1.0 - high <= PLAINLY * allowed:
        return left
    return Steady(
        verdict="fail",
        simulated=True,
        ttft=outage.ttft if left.ttft.value is None else left.ttft,
        met=outage.inside if left.met.value is None else left.met,
        reason="more requests break the limits in an outage already than may in all",
    )


def _longest(found: Evidence, limit: Limit) -> Estimate:
    """Return a latency in the pool where it is longest, of those that are sent requests which have it."""
    return max((pool.at(limit) for pool in found.pools), key=lambda one: one.value or 0.0)


def source_of(kept: KeptPlan) -> SceneSource:
    """Return the scene in which a kept plan's fleet fails."""
    return kept.source(f"failures {kept.id}", kept.profiles)


async def stage_of(desk: StudyContext, kept: KeptPlan, fleet: Fleet, sizes: tuple[int, ...]) -> PreparedFleet:
    """Return a fleet at these sizes, and how long it is simulated."""
    return await prepared(desk, source_of(kept), fleet, sizes)


def _fails(reason: str) -> Steady:
    return Steady(verdict="fail", simulated=False, ttft=UNKNOWN, met=UNKNOWN, reason=reason)
