"""Where a fleet runs out, simulated: the rows of a study that decide when somebody must act."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fleettui.domain.anchor import Anchor
from fleettui.domain.plan import Candidate, Evidence, Look
from fleettui.domain.stock import Greatest
from fleettui.planning.anchors import anchors_of
from fleettui.planning.fleet_limits import MOST_RATES, FleetLimits, Sizes
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
    """The fleet of a plan that was simulated, at whose other sizes and rates more is simulated.

    Nothing counts but what the plan showed and what is looked at here: so no other study moves what this one tells. Of
    each size that was looked at, `found` has the greatest rate that it holds, and `taken` the looks that showed it.
    """

    desk: StudyContext
    about: About
    source: SceneSource
    found: dict[Sizes, Greatest] = field(default_factory=dict)
    taken: list[Look] = field(default_factory=list)

    @property
    def known(self) -> tuple[Anchor, ...]:
        """What the simulations of the plan, and those made here, showed of each pool of the fleet."""
        fleet, question = self.about.fleet, self.source.question
        return with_looks(anchors_of(self.about.plan, question), (*self._own, *self.taken), fleet, question)

    @property
    def seen(self) -> tuple[Anchor, ...]:
        """The same, and that pools are too small that fail beyond the greatest rate of a fleet of which that was shown.

        That rate is what `fleettui capacity` tells of it, also where one beyond held by chance.
        """
        known = self.known
        if self._told:
            limits = self._limits(self.about.fleet, (*self._own, *self.taken))
            rates = {sizes: low for sizes, (low, _) in limits.shown.items()}
            rates |= {sizes: one.rate for sizes, one in self.found.items() if one.simulated and one.rate}
            for sizes, rate in rates.items():
                known = _up_to(known, sizes, rate, limits.looks)
        return known

    async def looked(self, wanted: Sequence[int]) -> bool:
        """Simulate where the fleet of these sizes runs out, as `fleettui capacity` does; return whether it was now.

        The plan's own fleet is looked at first. Of a plan that is sized for longer steps that is the only one: its rate
        that is as sure as was wished is by formula, which other fleets' looks would move. Nothing is simulated twice,
        for a closed loop, which is driven by the fleet itself, and for a plan that was not simulated.
        """
        own, wished = self.about.sizes, self.about.question.confidence
        sizes = own if wished else tuple(wanted)
        if not self._told or sizes in self.found:
            return False
        if sizes != own:
            await self.looked(own)
        limits = self._limits(await self._sized(sizes), (*self._own, *self._of_own_sizes()))
        self.found[sizes] = await limits.greatest(MOST_PROBES)
        if wished:
            await surest_rate(limits, wished)
        there = (*self._own, *self.taken)
        self.taken.extend(look for look in limits.looks if look not in there and look.candidate != self.about.fleet)
        return True

    @property
    def _told(self) -> bool:
        """Whether simulations tell where fleets run out."""
        return self.about.question.demand.form != "concurrency" and self.about.fleet.simulation is not None

    @property
    def _own(self) -> tuple[Look, ...]:
        return self.desk.own(self.about.plan.plan.id)

    def _of_own_sizes(self) -> list[Look]:
        return [look for look in self.taken if look.sizes == self.about.sizes]

    def _limits(self, fleet: Candidate, looks: Sequence[Look]) -> FleetLimits:
        """Return the limits of the plan's fleet at its own or other sizes, as these looks show them."""
        desk, plan = self.desk, self.about.plan
        before = desk.known(plan.plan.id)
        return FleetLimits.of(
            desk.workers, self.source, plan, fleet, desk.tell, looks=looks, before=before, keep=desk.took
        )

    async def _sized(self, sizes: Sizes) -> Candidate:
        """Return the plan's fleet at these sizes, with what its proof showed where they are its own."""
        if sizes == self.about.sizes:
            return self.about.fleet
        return (await prepared(self.desk, self.source, self.about.fleet.fleet, sizes)).candidate


def _up_to(known: tuple[Anchor, ...], sizes: Sizes, rate: float, looks: Iterable[Look]) -> tuple[Anchor, ...]:
    """Return what is known of pools, of which those that fail beyond a rate in requests/s are too small from there on.

    They do in the first of the looks at these sizes that does not hold.
    """
    beyond = min(
        (look for look in looks if look.sizes == sizes and look.rate > rate and not look.holds),
        key=lambda look: look.rate,
        default=None,
    )
    if beyond is None:
        return known
    return tuple(
        own.too_small(size, rate * (1.0 + BEYOND)) if fails else own
        for own, fails, size in zip(known, failing(beyond.evidence), sizes, strict=True)
    )


def failing(evidence: Evidence) -> tuple[bool, ...]:
    """Return of each pool whether it is why a fleet does not hold.

    A pool that is not proven is where none fails. Nothing is said of one beside a pool whose load alone is too high.
    """
    verdicts = [pool.verdict for pool in evidence.pools]
    worst = "fail" if "fail" in verdicts else "unproven"
    return tuple(verdict == worst for verdict in verdicts)
