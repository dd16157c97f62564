"""Where a fleet runs out, simulated: the rows of a study that decide when somebody must act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from fleettui.domain.anchor import NEARLY, Anchor
from fleettui.domain.look import Look
from fleettui.domain.plan import LEAST_RUNS
from fleettui.domain.simulation import Replication
from fleettui.planning.kept_looks import with_looks
from fleettui.planning.prepared_fleet import SceneSource, prepared
from fleettui.planning.rounds import Rounds, takes_minutes

if TYPE_CHECKING:
    from fleettui.planning.studies.study_context import StudyContext
    from fleettui.reports.studies.subject import About

MOST_PROBES = 3
"""Rates at which one fleet is simulated at most: each shows how far the formulas are off there."""
MOST_REQUESTS = 3_000_000
"""Requests of a fleet's least proof beyond which no edge is simulated: it would take minutes."""
INSIDE = 0.995
"""The edge is looked for so far within the expected one: what lies at its limit takes longest to prove."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """The fleet of a plan that was simulated, at whose other sizes and rates more is simulated."""

    desk: StudyContext
    about: About
    source: SceneSource

    async def seen(self, anchors: tuple[Anchor, ...], sizes: Sequence[int]) -> tuple[Anchor, ...]:
        """Return the anchors with what simulations near the rate show where the fleet of these sizes runs out.

        Those that earlier studies of the plan made count. The anchors stay as they are for a closed loop, which is
        driven by the fleet itself, and for a plan that is sized for longer steps; no more is simulated for a plan that
        was not simulated, and where a proof would take long.
        """
        question, fleet = self.about.question, self.about.fleet
        if question.demand.form == "concurrency" or question.confidence:
            return anchors
        anchors = with_looks(anchors, self.desk.known(self.about.plan.plan.id), fleet, self.source.question)
        for _ in range(MOST_PROBES if fleet.simulation else 0):
            rate = await self.desk.run(
                "whatif-lasts", float, source=self.source, fleet=fleet.fleet, anchors=anchors, sizes=sizes
            )
            known = all(own.was_seen(size, rate, NEARLY / 2) for own, size in zip(anchors, sizes, strict=True))
            if not rate or known:
                break
            look = await self._simulated(sizes, INSIDE * rate)
            if look is None:
                break
            self.desk.looks.append(look)
            anchors = with_looks(anchors, (look,), fleet, self.source.question)
        return anchors

    async def _simulated(self, sizes: Sequence[int], rate: float) -> Look | None:
        """Return what a few runs show, None where they would take long."""
        source, question = self.source.at(rate), self.about.question
        stage = await prepared(self.desk, source, self.about.fleet.fleet, sizes)
        if stage.unstable or takes_minutes(stage, MOST_REQUESTS) or max(stage.utilization) >= 1.0:
            return None
        seed, words = self.about.plan.plan.seed, f"simulating {' + '.join(map(str, sizes))} replicas at {rate:.4g}/s"
        replicate = partial(self._replicate, source=source, fleet=stage.candidate.fleet, seed=seed)
        rounds = Rounds(
            workers=self.desk.workers, source=source, seed=seed, precision=question.precision, most=LEAST_RUNS
        )
        evidence = await rounds.evidence(stage, replicate, {}, partial(self.desk.tell, words))
        return Look(rate=rate, candidate=replace(stage.candidate, evidence=evidence))

    async def _replicate(self, lengths: object, index: int, **values: object) -> Replication:
        return await self.desk.run("verification-replicate", Replication, lengths=lengths, index=index, **values)
