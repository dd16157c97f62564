"""The trials of a plan: its fleets at the sizes that a search wants simulated, each stored as a candidate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from fleettui.domain.limiting import LARGER, WHOLE_NODES
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.planning import proof_reasons
from fleettui.planning.fleet_count import FleetCount
from fleettui.planning.prove import Prover
from fleettui.planning.settled import Settled
from fleettui.planning.sized_shapes import SizedShapes
from fleettui.planning.trial import Trial, trial_of
from fleettui.planning.walk import Sizes

if TYPE_CHECKING:
    from store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """A job's plan with its question, and the prover for its candidates."""

    store: Store
    plan: Answer
    question: Question
    prover: Prover
    larger: str = LARGER
    count: FleetCount | None = None

    def begin(self, number: int, most: int) -> None:
        """Let the progress be that of the fleet with this number, of at most so many."""
        if self.count is not None:
            self.count.begin(number, most)

    async def look_at(self, shape: Candidate, sizes: Sizes) -> Trial:
        """Simulate as `attempt` does, in few runs where a latency lingers at its limit: the trial is open then."""
        return await self._trial(shape, sizes, brief=True)

    async def attempt(self, shape: Candidate, sizes: Sizes) -> Trial:
        """Simulate a shape of fleet at `sizes`, its candidate stored; the formula's range moves with the sizes."""
        return await self._trial(shape, sizes, brief=False)

    def sized_for(self, share: float, *, err_alike: bool = False) -> SizedShapes:
        """Return what sizes the plan's fleets for a share of the cases."""
        wish = partial(self.prover.sizes_for, share)
        return SizedShapes(self.question, self.plan.demand.rate, wish, err_alike)

    async def tell_so_far(self, found: Settled, left: Trial) -> None:
        """Say and keep what was found before more runs of the fleet that is `left`."""
        words = proof_reasons.so_far(found, left)
        self.store.tell_so_far(self.plan.plan.id, words)
        self.prover.say(words)

    async def _trial(self, shape: Candidate, sizes: Sizes, *, brief: bool) -> Trial:
        stage = await self.prover.stage(shape.fleet, sizes)
        moved = stage.candidate.gpus - shape.gpus
        low, high = (None if end is None else max(1, end + moved) for end in shape.gpus_range)
        pairs = zip(stage.candidate.pools, shape.fleet.pools, sizes, strict=True)
        free = self.question.whole_nodes and stage.candidate.cost_per_hour <= shape.cost_per_hour
        larger = WHOLE_NODES if free else self.larger
        figures = (replace(one, limited_by=larger) if size > pool.replicas else one for one, pool, size in pairs)
        scored = replace(stage.candidate, gpus_range=(low, high), pools=tuple(figures))
        same = sizes == tuple(pool.replicas for pool in shape.fleet.pools)
        candidate = shape if same else self.store.add_candidate(self.plan.plan.id, scored)
        prove = self.prover.begin_proof if brief else self.prover.proof
        evidence, is_open = await prove(candidate, stage)
        found = trial_of(replace(candidate, evidence=evidence), self.question, stage.utilization)
        return replace(
            found,
            demand=stage.demand,
            reasons=stage.reasons,
            warnings=stage.warnings,
            open=is_open,
        )
