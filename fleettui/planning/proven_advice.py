"""Advice beside a proven answer: what it takes is simulated, so that a plan of that question says the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fleettui.domain.advice import CENT, MUST_KNOW, Advice
from fleettui.domain.anchor import NOTHING_SEEN, Anchor
from fleettui.domain.confidence import AS_MUCH
from fleettui.domain.hardware import Profile
from fleettui.domain.plan import UNKNOWN_PAIRING, Answer, Candidate
from fleettui.domain.serialization import encode
from fleettui.planning.anchors import anchors_from
from fleettui.planning.fleet_limits import FleetLimits, Sizes, Tell
from fleettui.planning.least_size import takes_all
from fleettui.planning.prepared_fleet import SceneSource, prepared
from fleettui.planning.surest_rate import how_sure
from fleettui.planning.worker_pool import WorkerPool

MOST_SIZES = 2
"""Sizes at most of a fleet whose engine is set otherwise that are simulated until one holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenAdvice:
    """Workers that try advice on the `answer` of one scene, whose candidates are all that was simulated for it."""

    workers: WorkerPool
    source: SceneSource
    answer: Answer
    seed: int
    tell: Tell

    async def told(self) -> dict[str, Advice]:
        """Return what would change the answer by its sentence."""
        return {one.told(simulated=simulated): one for one, simulated in await self.shown()}

    async def shown(self) -> list[tuple[Advice, bool]]:
        """Return what would change the answer and whether it is as simulated, none where no fleet of it holds.

        The make that the formulas find, as the answer's simulations correct them, is simulated at the fewest replicas
        that hold; where that would take long, or step times longer than predicted count, the number is the formulas'.
        """
        best = self.answer.answer
        if best is None or self.answer.verdict != "pass":
            return []
        found = await self.workers.run("advice", list[Advice], source=self.source, answer=self.answer)
        shown = [await self._shown(one, best) for one in found if not one.sets_engine]
        shown.append(await self._least([one for one in found if one.sets_engine], best))
        return [one for one in shown if one is not None]

    async def corrected(self) -> tuple[str, ...]:
        """Return the answer's warnings, those told anew that say what one pool or other pairings of lengths take.

        Where it holds, what shorter prompts take stands with them.
        """
        answer = self.answer
        if answer.verdict != "pass":
            return tuple(filter(None, answer.warnings))
        source, told = self.source, []
        for one in await self._beside_one_pool():
            pairing = one.startswith(UNKNOWN_PAIRING)
            told.append(await self.workers.run("advice-pairing", str, source=source, answer=answer) if pairing else one)
        shorter = await self.workers.run("shorter-prompts", str, source=source, answer=answer)
        return tuple(filter(None, (*told, shorter)))

    async def _beside_one_pool(self) -> tuple[str, ...]:
        """Return the warnings of an answer that holds, that of outputs that must be known with what one pool takes."""
        asked, warnings = self.source.question, self.answer.warnings
        told = any(MUST_KNOW in one for one in warnings)
        if not told or 1 not in asked.pools or asked.demand.form == "concurrency" or asked.preset == "paper":
            return warnings
        return await self.workers.run("advice-outputs", tuple[str, ...], source=self.source, answer=self.answer)

    def limits(self, advice: Advice, found: Candidate) -> FleetLimits:
        """Return what looks at other sizes of a fleet under the question of an advice."""
        asked, profiles = advice.question, self.source.profiles
        key = f"{self.source.key} {asked.slo} {asked.arrivals} {advice.rate!r}"
        if advice.sets_engine:
            key += f" {asked.dtype} {asked.tuning} {asked.token_budget} {asked.max_num_seqs}"
            profiles = encode(tuple[Profile, ...], advice.profiles)
        return FleetLimits(
            workers=self.workers,
            source=replace(self.source, key=key, question=asked, rate=advice.rate, profiles=profiles),
            fleet=found,
            seed=self.seed,
            precision=advice.question.precision,
            known=self._known(advice, found),
            purpose=self._purpose(advice),
            tell=self.tell,
        )

    async def _least(self, settings: Sequence[Advice], best: Candidate) -> tuple[Advice, bool] | None:
        """Return the first of the settings that cost least as shown, None where none takes less than the answer.

        One that by formula costs no less than what was shown before it is not looked at.
        """
        least, cost = None, math.inf
        for one in settings:
            if _cost(one) < cost - CENT and (known := await self._shown(one, best)) and _cost(known[0]) < cost - CENT:
                least, cost = known, _cost(known[0])
        return least

    async def _shown(self, advice: Advice, best: Candidate) -> tuple[Advice, bool] | None:
        """Return one advice with the fleet that holds, and whether it was simulated; None where it does not hold."""
        if advice.found is None or self.answer.simulation is None:
            return advice, False
        limits = self.limits(advice, advice.found)
        if advice.question.confidence is not None:
            return await self._as_sure(limits, advice, advice.question.confidence)
        if advice.sets_engine and not await self._holds_below(limits, advice, best):
            return None
        found, _ = await limits.smallest()
        if found is None:
            return advice, False
        sizes = tuple(pool.replicas for pool in found.fleet.pools)
        simulated = any(look.holds and look.sizes == sizes for look in limits.looks)
        least = takes_all(found, [look.candidate for look in limits.looks], advice.question.max_utilization)
        fleets = [best.fleet, found.fleet]
        now, other = await self.workers.run("advice-paid", list[int], source=self.source, fleets=fleets)
        shown = replace(advice, found=found, gpus=other - now, open_below=not least)
        return (shown, simulated) if shown.matters(best) else None

    async def _as_sure(self, limits: FleetLimits, advice: Advice, wished: float) -> tuple[Advice, bool] | None:
        """Return an advice and whether its fleet is as sure as wished; one that saves for less is not told."""
        sure = await how_sure(limits, sizes=False)
        shown = sure is not None and sure.holds >= wished - AS_MUCH
        return (replace(advice, open_below=True), shown) if shown or not advice.saves else None

    async def _holds_below(self, limits: FleetLimits, advice: Advice, best: Candidate) -> bool:
        """Return whether a fleet whose engine is set otherwise holds, simulated, where it costs less than the answer.

        The formulas' size is looked at, then those that it lets expect: no more than MOST_SIZES.
        """
        sizes: Sizes | None = limits.sizes
        for _ in range(MOST_SIZES):
            if sizes is None:
                return False
            stage = await prepared(self.workers, limits.source, limits.fleet.fleet, sizes)
            if not replace(advice, found=stage.candidate).matters(best):
                return False
            look = await limits.look(sizes, advice.rate)
            if look is None or look.holds:
                return look is not None
            sizes = await limits.needed()
        return False

    def _purpose(self, advice: Advice) -> str:
        """Return what is simulated for an advice, in words."""
        if advice.question.arrivals != self.source.question.arrivals:
            return "as Poisson's"
        if advice.sets_engine:
            return "engine set otherwise"
        return "looser limit" if advice.saves else "burst check"

    def _known(self, advice: Advice, found: Candidate) -> tuple[Anchor, ...]:
        """Return what simulations showed of the pools of a fleet; under other limits not which sizes hold.

        Where requests come otherwise they showed nothing, nor where engines are set otherwise.
        """
        question, rate = self.source.question, self.source.rate
        if advice.question.arrivals != question.arrivals or advice.sets_engine:
            return (NOTHING_SEEN,) * len(found.fleet.pools)
        seen = anchors_from(self.answer.candidates, found, question, rate)
        return seen if advice.question.slo == question.slo else tuple(one.elsewhere for one in seen)


def _cost(advice: Advice) -> float:
    """Return what an advised fleet costs an hour, infinite where none holds."""
    return math.inf if advice.found is None else advice.found.cost_per_hour
