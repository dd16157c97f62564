"""Where a fleet runs out, simulated: the rows of a study that decide when somebody must act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fleettui.domain.anchor import Anchor, SeenPool, with_more
from fleettui.domain.plan import Candidate, Evidence
from fleettui.planning.fleet_limits import MOST_RATES, FleetLimits
from fleettui.planning.kept_looks import with_looks
from fleettui.planning.prepared_fleet import SceneSource, prepared

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

    async def seen(self, anchors: tuple[Anchor, ...], sizes: Sequence[int]) -> tuple[Anchor, ...]:
        """Return the anchors with what simulations show of where the fleet of these sizes runs out.

        It is the greatest rate as `fleettui capacity` finds it, beyond which the pools that fail there are too small.
        Those that earlier studies of the plan made count. The anchors stay as they are for a closed loop, which is
        driven by the fleet itself, and for a plan that is sized for longer steps; no more is simulated for a plan that
        was not simulated, and where a look would take long.
        """
        question, fleet = self.about.question, self.about.fleet
        if question.demand.form == "concurrency" or question.confidence:
            return anchors
        edge = await self._edge(sizes) if fleet.simulation else ()
        found = with_looks(anchors, self.desk.known(self.about.plan.plan.id), fleet, self.source.question)
        return with_more(found, edge)

    async def _edge(self, sizes: Sequence[int]) -> tuple[Anchor, ...]:
        """Return of each pool that it is too small beyond the greatest rate, where it is; empty where none is shown."""
        plan = self.about.plan
        limits = FleetLimits.of(
            self.desk.workers,
            self.source,
            plan,
            await self._sized(sizes),
            self.desk.tell,
            looks=self.desk.known(plan.plan.id),
            keep=self.desk.looks.append,
        )
        if not (await limits.greatest(MOST_PROBES)).simulated:
            return ()
        low, high = limits.bounds
        beyond = next(look for look in limits.looks if look.sizes == limits.sizes and look.rate == high)
        return tuple(
            Anchor(seen=(_too_small(size, low * (1.0 + BEYOND)),) if fails else ())
            for fails, size in zip(failing(beyond.evidence), limits.sizes, strict=True)
        )

    async def _sized(self, sizes: Sequence[int]) -> Candidate:
        """Return the plan's fleet at these sizes, with what its proof showed where they are its own."""
        if tuple(sizes) == self.about.sizes:
            return self.about.fleet
        return (await prepared(self.desk, self.source, self.about.fleet.fleet, sizes)).candidate


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
