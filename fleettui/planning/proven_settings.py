"""Settings of the engine with which a question that no fleet answers has one: they are simulated, as its fleets were.

One is set otherwise; where none does alone the weights are, then two at once.

They cost nothing and leave every limit as it was asked, so they are told before looser limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fleettui.domain.advice import TURNS, Advice, Turn
from fleettui.domain.confidence import AS_MUCH
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.remedy import BY_FORMULA, SIMULATED, keeps_constraints, setting_would_do, with_setting
from fleettui.planning.fleet_limits import FleetLimits, Sizes, can_be_told
from fleettui.planning.prepared_fleet import prepared
from fleettui.planning.prove import Simulator
from fleettui.planning.proven_advice import MOST_SIZES, ProvenAdvice
from fleettui.planning.surest_rate import how_sure


async def with_settings(prover: Simulator, answer: Answer, seen: Sequence[Candidate], nearest: Candidate) -> Answer:
    """Return an answer without a fleet that says with which setting a fleet would do; as it is where none does.

    `seen` is what was simulated for it, which corrects the formulas; what is tried are the settings of the `nearest`.
    """
    if not can_be_told(prover.source.question):
        return answer
    tried = _Settings(prover=prover, answer=replace(answer, candidates=tuple(seen)), nearest=nearest)
    found = await tried.found()
    return replace(answer, why=with_setting(answer.why, *found, prover.source.question)) if found else answer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    """What tries settings beside an `answer` without a fleet, whose candidates are all that was simulated for it."""

    prover: Simulator
    answer: Answer
    nearest: Candidate

    async def found(self) -> tuple[str, Advice] | None:
        """Return what is told of the first setting, or two, with which a fleet is simulated to do; None of none."""
        for turn in TURNS:
            if found := await self._first(turn):
                return found
        return None

    async def _first(self, turn: Turn) -> tuple[str, Advice] | None:
        workers, source = self.prover.workers, self.prover.source
        found = await workers.run(
            "advice-instead", list[Advice], source=source, answer=self.answer, nearest=self.nearest, turn=turn
        )
        advice = ProvenAdvice(
            workers=workers, source=source, answer=self.answer, seed=self.prover.seed, tell=self.prover.tell_aside
        )
        for one in found:
            assert one.found is not None, "it was found"
            if told := await self._shown(one, one.found, advice.limits(one, one.found)):
                return told, one
        return None

    async def _shown(self, advice: Advice, found: Candidate, limits: FleetLimits) -> str:
        """Return what is told of a setting, empty where its fleet is seen not to hold, or not to be as sure as wished.

        The formulas' size is looked at, then those that it lets expect, for as long as they keep the constraints.
        """
        sizes: Sizes | None = limits.sizes
        for _ in range(MOST_SIZES):
            if sizes is None:
                break
            fleet = (await prepared(self.prover.workers, limits.source, found.fleet, sizes)).candidate
            if not keeps_constraints(fleet, advice.question):
                break
            look = await limits.look(sizes, advice.rate)
            if look is None:
                return setting_would_do(advice, found, BY_FORMULA)
            if look.holds:
                return await self._as_sure(advice, replace(limits, fleet=look.candidate))
            sizes = await limits.needed()
        return ""

    async def _as_sure(self, advice: Advice, limits: FleetLimits) -> str:
        wished = advice.question.confidence
        sure = None if wished is None else await how_sure(limits, sizes=False)
        if wished is not None and (sure is None or sure.holds < wished - AS_MUCH):
            return ""
        return setting_would_do(advice, limits.fleet, SIMULATED)
