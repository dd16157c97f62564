"""A plan whose rate grows: its fleets on the way, and what is simulated of where they run out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fleettui.domain.need import Level, Need
    from fleettui.domain.whatif import Growth, Stage
    from fleettui.planning.edges import Edges
    from fleettui.reports.studies.subject import About

    Grown = tuple[tuple[Stage, ...], float]

MONTHS = 24
"""How far growth is looked at unless told."""
EPOCH = "2000-01-01"
"""The day from which a rate grows whose orders have no dates."""
ENOUGH = 4.0
"""The growth within which the orders lie whose dates are simulated, as a factor of the rate."""
DECIDING = 2
"""Orders whose dates are simulated: the next ones."""
MOST_ROUNDS = 16
"""Times that what was simulated may move the orders whose dates are, before they are told as they are then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growing:
    """A plan that grows, and what is known from simulations of where its fleets run out, its `edges`."""

    edges: Edges
    growth: Growth

    @property
    def about(self) -> About:
        """The plan, its question and its fleet."""
        return self.edges.about

    async def stages(self) -> Grown:
        """Return its fleets on the way, and the rate in requests/s that the first of them lasts."""
        from fleettui.domain.whatif import Stage

        return await self.edges.desk.run(
            "whatif-grow",
            tuple[tuple[Stage, ...], float],
            source=self.edges.source,
            fleet=self.about.fleet.fleet,
            anchors=self.edges.seen,
            growth=self.growth,
        )

    async def looked(self, stage: Stage) -> bool:
        """Simulate where the fleet of a stage runs out; return whether more was shown, which may move all stages."""
        return await self.edges.looked(stage.step.replicas)

    async def settled(self) -> Grown:
        """Return what `stages` does once nothing is left to simulate of those before the next orders, or of today's.

        So another study of the same begins where this one ends, and tells the same.
        """
        found = await self.stages()
        for _ in range(MOST_ROUNDS):
            stages, _ = found
            for stage in stages[: max(1, min(len(stages) - 1, DECIDING))]:
                if await self.looked(stage):
                    break
            else:
                break
            found = await self.stages()
        return found


async def levels_of(edges: Edges, need: Need) -> tuple[Level, ...]:
    """Return the GPUs that the fleet of `edges` takes at every rate of `need`, whose own levels are not looked at.

    Where the need grows that is after all that `whatif --growth` simulates, so that both name the same fleets.
    """
    from fleettui.domain.need import Level
    from fleettui.domain.whatif import Growth

    if need.growth > 0.0:
        months = min(MONTHS, math.ceil(math.log(ENOUGH) / math.log1p(need.growth)))
        growth = Growth(
            per_month=need.growth, span=None, start=EPOCH, today=EPOCH, lead_days=0.0, months=months, orders="each"
        )
        await Growing(edges=edges, growth=growth).settled()
    low, high = need.rates
    return await edges.desk.run(
        "whatif-levels",
        tuple[Level, ...],
        source=edges.source,
        fleet=edges.about.fleet.fleet,
        anchors=edges.seen,
        low=low,
        high=high,
    )
