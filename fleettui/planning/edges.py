"""Where a fleet runs out, simulated: the rows of a study that decide when somebody must act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from fleettui.domain.anchor import Anchor, SeenPool, with_more
from fleettui.domain.plan import Candidate, Evidence
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

    async def seen(self, anchors: tuple[Anchor, ...], sizes: Sequence[int]) -> tuple[Anchor, ...]:
        """Return the anchors with what simulations show of where the fleet of these sizes runs out.

        It is the greatest rate as `fleettui capacity` finds it, beyond which the pools that fail there are too small.
        Those that earlier studies of the plan made count, at other sizes, too. The anchors stay as they are for a
        closed loop, which is driven by the fleet itself; no more is simulated for a plan that was not simulated, and
        where a look would take long.
        """
        question, fleet = self.about.question, self.about.fleet
        if question.demand.form == "concurrency":
            return anchors
        edges = await self._edges(sizes) if fleet.simulation else ()
        found = with_looks(anchors, self.desk.known(self.about.plan.plan.id), fleet, self.source.question)
        return reduce(with_more, edges, found)

    async def _edges(self, sizes: Sequence[int]) -> list[tuple[Anchor, ...]]:
        """Return the anchors of the pools that are too small beyond the fleet's greatest rate, one row per fleet shown.

        The fleets shown are the one of these sizes, and those whose greatest rate an earlier study of the plan found:
        so all studies of a plan agree. Of a plan that is sized for longer steps it is the rate as sure as was wished.
        """
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
        if wished := self.about.question.confidence:
            await surest_rate(limits, wished)
        else:
            await limits.greatest(MOST_PROBES)
        return [_edge(own, low, beyond.evidence) for own, (low, beyond) in limits.shown.items()]

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
