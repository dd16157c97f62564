"""Where a fleet runs out, simulated: the rows of a study that decide when somebody must act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from fleettui.domain.anchor import Anchor, SeenPool, with_more
from fleettui.domain.plan import Candidate, Evidence, Look
from fleettui.planning.anchors import anchors_of
from fleettui.planning.fleet_limits import MOST_RATES, FleetLimits
from fleettui.planning.kept_looks import with_looks
from fleettui.planning.prepared_fleet import SceneSource, prepared
from fleettui.planning.surest_rate import surest_rate

if TYPE_CHECKING:
    from fleettui.planning.studies.study_context import StudyContext
    from fleettui.reports.studies.subject import About

MOST_PROBES = MOST_RATES
"""Rates at which one fleet is simulated at most."""
BEYOND = 1e-6
"""By what share of it a rate is beyond the greatest one that a fleet holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """The fleet of a plan that was simulated, at whose other sizes and rates more is simulated."""

    desk: StudyContext
    about: About
    source: SceneSource

    @property
    def known(self) -> tuple[Anchor, ...]:
        """What the plan's simulations, this study's and those of kept ones showed of each pool of the fleet."""
        fleet, question = self.about.fleet, self.source.question
        return with_looks(anchors_of(self.about.plan, question), self._looks, fleet, question)

    @property
    def seen(self) -> tuple[Anchor, ...]:
        """The same, and that pools are too small that fail beyond the greatest rate of a fleet of which that was shown.

        It is as much whatever was simulated first, so that all studies of a plan agree.
        """
        shown = self._limits(self.about.fleet).shown if self._told else {}
        edges = (_edge(own, low, beyond.evidence) for own, (low, beyond) in shown.items())
        return reduce(with_more, edges, self.known)

    async def looked(self, sizes: Sequence[int]) -> bool:
        """Simulate where the fleet of these sizes runs out, as `fleettui capacity` does; return whether more was shown.

        Of a plan that is sized for longer steps it is the rate as sure as was wished. Nothing more is simulated where
        all of it was, for a closed loop, which is driven by the fleet itself, and for a plan that was not simulated.
        """
        if not self._told:
            return False
        before, limits = len(self.desk.looks), self._limits(await self._sized(sizes))
        if wished := self.about.question.confidence:
            await surest_rate(limits, wished)
        else:
            await limits.greatest(MOST_PROBES)
        return len(self.desk.looks) > before

    @property
    def _told(self) -> bool:
        """Whether simulations tell where fleets run out."""
        return self.about.question.demand.form != "concurrency" and self.about.fleet.simulation is not None

    @property
    def _looks(self) -> tuple[Look, ...]:
        return self.desk.known(self.about.plan.plan.id)

    def _limits(self, fleet: Candidate) -> FleetLimits:
        """Return the limits of the plan's fleet at its own or other sizes."""
        desk, plan = self.desk, self.about.plan
        return FleetLimits.of(
            desk.workers, self.source, plan, fleet, desk.tell, looks=self._looks, keep=desk.looks.append
        )

    async def _sized(self, sizes: Sequence[int]) -> Candidate:
        """Return the plan's fleet at these sizes, with what its proof showed where they are its own."""
        if tuple(sizes) == self.about.sizes:
            return self.about.fleet
        return (await prepared(self.desk, self.source, self.about.fleet.fleet, sizes)).candidate


def _edge(sizes: Sequence[int], rate: float, beyond: Evidence) -> tuple[Anchor, ...]:
    """Return that the pools that fail beyond a rate in requests/s are too small from there on at these sizes."""
    return tuple(
        Anchor(seen=(_too_small(size, rate * (1.0 + BEYOND)),) if fails else ())
        for fails, size in zip(failing(beyond), sizes, strict=True)
    )


def failing(evidence: Evidence) -> tuple[bool, ...]:
    """Return of each pool whether it is why a fleet does not hold.

    A pool that is not proven is where none fails. Nothing is said of one beside a pool whose load alone is too high.
    """
    verdicts = [pool.verdict for pool in evidence.pools]
    worst = "fail" if "fail" in verdicts else "unproven"
    return tuple(verdict == worst for verdict in verdicts)


def _too_small(replicas: int, rate: float) -> SeenPool:
    """Return that so many replicas are too few from a rate in requests/s on."""
    return SeenPool(utilization=0.0, ratios=(), replicas=replicas, rate=rate, passed=False)
