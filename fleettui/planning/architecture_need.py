"""The fewest GPUs on which fleets of an architecture hold what a kept plan needs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fleettui.domain.frontier import ArchitectureNeed, FrontierAsked, FrontierPoint, FrontierProof, FrontierTried
from fleettui.errors import InputError
from fleettui.planning.studies.frontier import LEAST_GPUS, on_one_gpu, usual_layouts

if TYPE_CHECKING:
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.prepared_fleet import SceneSource
    from fleettui.planning.studies.study_context import StudyContext

STEP = 4
"""GPUs by which fleets grow."""
TIMES = 2
"""GPUs that are looked at, in times those of the plan's fleet."""
MOST_GROWN = 3
"""Steps by which a fleet is enlarged at most that does not hold in simulation."""


async def architecture_need(desk: StudyContext, kept: KeptPlan, name: str, *, verify: bool) -> ArchitectureNeed:
    """Return the fleet of fewest GPUs, of the plan's first type, that holds its limits on TTFT and TPOT at its rate.

    It is looked for by formula up to TIMES the GPUs of the plan's fleet, LEAST_GPUS at least, and simulated where that
    is to be `verify`-ed, enlarged where it does not hold then. Raises InputError for a plan without a fleet.
    """
    best, slo = kept.fleet_for("to arrange in another way"), kept.question.slo
    gpu, layouts = best.fleet.pools[0].gpu, usual_layouts(kept)
    steps = math.ceil(max(LEAST_GPUS, TIMES * best.fleet.gpus) / STEP)
    ttft, tpot = (math.inf if one is None else one for one in (slo.ttft, slo.tpot))
    source = on_one_gpu(kept, best, gpu)
    fleets = _Fleets(desk=desk, source=source, name=name, gpu=gpu, layouts=layouts, ttft=ttft, tpot=tpot)
    found = await fleets.least(steps)
    need = ArchitectureNeed(architecture=name, gpu=gpu, most=steps * STEP, point=found)
    if found is None or not verify:
        return need
    return replace(need, proof=await fleets.proof(found, kept.answer.plan.seed))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fleets:
    """The fleets of one architecture and GPU type at a scene's rate, by how many times STEP GPUs they have at most."""

    desk: StudyContext
    source: SceneSource
    name: str
    gpu: str
    layouts: tuple[str, ...]
    ttft: float
    tpot: float

    async def least(self, most: int) -> FrontierPoint | None:
        """Return the fleet of fewest GPUs that holds, by bisection up to `most` steps; None where none holds."""
        low, high, found = 0, most, await self._at(most)
        while found is not None and high - low > 1:
            middle = (low + high) // 2
            fewer = await self._at(middle)
            low, high, found = (middle, high, found) if fewer is None else (low, middle, fewer)
        return found

    async def proof(self, point: FrontierPoint, seed: int) -> FrontierProof:
        """Return what simulations show of a fleet, or of the first larger one that holds."""
        steps = math.ceil(point.gpus / STEP)
        larger = [await self._at(steps + more) for more in range(1, MOST_GROWN + 1)]
        return await self.desk.run(
            "frontier-play",
            FrontierProof,
            source=self.source,
            asked=self._asked(steps + MOST_GROWN),
            points=(point, *(one for one in larger if one is not None)),
            bound=self.ttft,
            tpot=self.tpot,
            seed=seed,
        )

    async def _at(self, steps: int) -> FrontierPoint | None:
        """Return the cheapest fleet of so many steps of GPUs that holds by formula, None where none does."""
        asked, rate = self._asked(steps), self.source.rate
        try:
            tried = await self.desk.run("frontier-points", FrontierTried, source=self.source, asked=asked, rate=rate)
        except InputError:  # not one replica fits on so few
            return None
        held = (one for one in tried.points if one.ttft <= self.ttft and one.tpot <= self.tpot)
        return min(held, key=lambda one: (one.cost, one.ttft), default=None)

    def _asked(self, steps: int) -> FrontierAsked:
        return FrontierAsked(gpu=self.gpu, gpus=steps * STEP, layouts=self.layouts, only=(self.name,))
