"""What stands beside a proven answer: the best of other GPU types, what may be cheaper, what posted prices turn to.

The formulas name these fleets; what is told of each is what it was simulated to take, where that can be seen in short.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from fleettui.domain.advice import CENT
from fleettui.domain.fleet import Fleet
from fleettui.domain.other_gpus import may_be_cheaper, other_gpu
from fleettui.domain.plan import AT_POSTED_PRICES, WITHOUT, Answer, Candidate, Look, cheaper_gpus, compares_gpus
from fleettui.planning.dared_beside import DaredBeside
from fleettui.planning.finer_splits import splits_near
from fleettui.planning.prepared_fleet import prepared
from fleettui.planning.prove import Simulator
from fleettui.planning.shown_fleets import MOST_MAKES, OVER, Find, ShownFleets
from fleettui.planning.sure_cost import share_sure, sure_cost_beside, told_to_be_sure
from fleettui.reports.posted_prices import PostedPrices

MOST_DIVIDED = 4
"""Divisions of the GPU types that prices turn to that are looked at, at most."""


async def with_others(
    simulator: Simulator,
    answer: Answer,
    ranked: Sequence[Candidate],
    *,
    simulate: bool,
    prices: bool = False,
    before: Sequence[Look] = (),
) -> Answer:
    """Return an answer with what is told beside it in place of what the formulas told beside theirs.

    The candidates of `answer` are all fleets that were simulated for it, `ranked` those that hold by formula. All is by
    formula where the answer does not hold, or where not to `simulate`, but for what `prices` turn to where that is.
    What was simulated `before` of others is not simulated again.
    """
    best = answer.answer
    if best is None:
        return answer
    passes, wished = answer.verdict == "pass", simulator.source.question.confidence is not None
    shown = ShownFleets(simulator=simulator, answer=answer, beyond=OVER if wished else 1.0, before=before)
    others = ProvenOthers(shown=shown, best=best, ranked=ranked, simulate=simulate and passes)
    why = [await others.told(reason) for reason in others.compared(answer.why)]
    warnings = [one for one in answer.warnings if not one.startswith(AT_POSTED_PRICES)]
    warnings += [await replace(others, simulate=simulate or prices).prices()] if passes else []
    return replace(
        answer,
        why=tuple(filter(None, why)),
        warnings=tuple(filter(None, warnings)),
        looks=tuple(dict.fromkeys((*answer.looks, *others.shown.looks))),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenOthers:
    """What is known of fleets beside the `best` one; `ranked` hold by formula, and are to `simulate` or not."""

    shown: ShownFleets
    best: Candidate
    ranked: Sequence[Candidate]
    simulate: bool

    def compared(self, why: Sequence[str]) -> Sequence[str]:
        """Return reasons with one for GPU types where the formulas had none: of what they chose there are no others."""
        counts = any(self._is_other(one) or self._may_be_cheaper(one) for one in self.ranked)
        return why if any(map(compares_gpus, why)) or not counts else (*why, WITHOUT)

    async def told(self, reason: str) -> str:
        """Return a reason, told anew where it compares GPU types; empty where nothing is left of it.

        What of hardware known less may be cheaper comes before the best without the answer's GPU types, which a plan
        without these may set aside too: the formulas may have told the one, simulations come to the other. So they may
        on the way to the best without them show that what is known less does hold and costs less than the answer.
        """
        if not compares_gpus(reason):
            return reason
        if said := await self._cheaper(reason):
            return said
        without = await self._next_without()
        shown = min(filter(self._may_be_cheaper, self.shown.shown), key=self.shown.worth, default=None)
        return without if shown is None else await self._as_cheaper(shown)

    async def _next_without(self) -> str:
        """Return what the best without the answer's GPU types comes to, empty where there is none."""
        other = await self._dared(await self._first(self._without, self._is_other))
        aside = other is not None and other.known_better_than(self.best)
        wished = self.shown.simulator.source.question.confidence is not None
        sure = await self._sure_cost(self.best) if aside and not wished else None
        most = other is not None and self._may_be_less(other, self._is_without)
        return other_gpu(self.best, other, self.shown.simulator.source.question, sure, at_most=most)

    async def prices(self) -> str:
        """Return which fleet would cost less than the answer at posted prices, empty where none would."""
        found = await self._turned_by_formula()
        if not self.simulate:
            return "" if found is None else found.told
        for _ in range(MOST_MAKES):
            if found is None or found.other.simulation is not None:
                break
            if not await self.shown.look_at(found.other, self._least(await self._turned(()), found.other)):
                break
            found = await self._turned_by_formula()
        shown = await self._turned(())
        if shown is not None:
            self.shown.left = () if found is None else (found.other,)
            best = await self._best_divided(shown)
            return replace(best, at_most=self._may_be_less(best.other, partial(self._is_at, best))).told
        return "" if found is None else found.told

    def _least(self, shown: PostedPrices | None, one: Candidate) -> float:
        """Return the cost of what posted prices were `shown` to turn to, below which others are to be found.

        It is infinite where that cannot be compared with what `one` of these costs as it is.
        """
        costs = self.shown.simulator.source.question.objective == "cost"
        return shown.other.cost_per_hour if costs and shown is not None and self._is_at(shown, one) else math.inf

    def _is_at(self, turned: PostedPrices, one: Candidate) -> bool:
        """Return whether a fleet costs at posted prices what it does, and not less than the answer."""
        moved = {gpu for gpu, _ in turned.prices}
        rival = one.cost_per_hour >= self.best.cost_per_hour - CENT and not self._is_aside(one)
        return rival and moved.isdisjoint((*one.fleet.gpus_by_type, *turned.other.fleet.gpus_by_type))

    def _may_be_less(self, one: Candidate, counts: Callable[[Candidate], bool]) -> bool:
        """Return whether simulations left open what may be better than a fleet that they showed."""
        wished = self.shown.simulator.source.question.confidence is not None
        return one.simulation is not None and not wished and not self.shown.is_least(one, counts)

    async def _turned_by_formula(self) -> PostedPrices | None:
        """Return what posted prices turn to, also among what the formulas find without the answer's GPU types."""
        return await self._turned((*self.ranked, *await self._without(self.shown.seen)))

    async def _best_divided(self, turned: PostedPrices) -> PostedPrices:
        """Return what prices turn to, its GPU types divided otherwise where that is simulated to cost less.

        Of those the formulas kept few for the prices as they are.
        """
        simulator, shown = self.shown.simulator, self.shown
        if simulator.source.question.confidence is not None:
            return turned
        for _ in range(MOST_DIVIDED):
            fleets = await simulator.workers.run(
                "advice-divided", list[Fleet], source=simulator.source, answer=shown.seen, turned=turned
            )
            better = [(await prepared(simulator.workers, simulator.source, one)).candidate for one in fleets]
            cheaper = (one for one in better if one.cost_per_hour < turned.other.cost_per_hour - CENT)
            first = next(filter(shown.is_open, cheaper), None)
            if first is None or not await shown.look_at(first, self._least(turned, first)):
                break
            turned = await self._turned(()) or turned
        return turned

    async def _turned(self, ranked: Iterable[Candidate]) -> PostedPrices | None:
        """Return what posted prices turn to among fleets that were simulated, and those that were not of `ranked`."""
        simulator, shown = self.shown.simulator, self.shown
        found = await simulator.workers.run(
            "advice-prices",
            list[PostedPrices],
            source=simulator.source,
            answer=shown.seen,
            ranked=[*filter(shown.is_open, ranked)],
            shown=shown.shown,
            closed=[*shown.known],
        )
        return next(iter(found), None)

    async def _cheaper(self, reason: str) -> str:
        """Return what of hardware of which much less is known may be cheaper, empty where it was seen not to be.

        What the formulas told of it stays where they rank no such fleet.
        """
        expected = [one for one in self.ranked if self._may_be_cheaper(one)]
        if not expected:
            return reason if cheaper_gpus(reason) else ""

        async def find(_: Answer) -> Sequence[Candidate]:
            return self.shown.may_hold(expected)

        found = await self._first(find, self._may_be_cheaper)
        return "" if found is None else await self._as_cheaper(found)

    async def _as_cheaper(self, found: Candidate) -> str:
        """Return that a fleet may be cheaper, how sure it is, and what its GPU types cost to be as good as sure."""
        shown, most = self.shown, self._may_be_less(found, self._may_be_cheaper)
        share = None if found.simulation is None else await share_sure(shown.simulator, shown.seen, found)
        surest, cost = await self._surest_of(found)
        costs = cost, self.best, await self._known_sure_cost()
        return may_be_cheaper(found, *costs, share=share, at_most=most, surest=surest)

    async def _surest_of(self, found: Candidate) -> tuple[Candidate, float]:
        """Return the fleet whose GPU types cost least to be as good as sure, and what they cost.

        It is the one that was found, or one of some of its types that was shown to hold and is no better known.
        """
        own = found.fleet.gpus_by_type.keys()
        less = [one for one in self.shown.shown if one.fleet.gpus_by_type.keys() < own and self._is_aside(one)]
        ways = [found, *{frozenset(one.fleet.gpus_by_type): one for one in less}.values()]
        costs = [await self._sure_cost(one) for one in ways]
        return ways[costs.index(min(costs))], min(costs)

    async def _sure_cost(self, one: Candidate) -> float:
        """Return what a fleet's GPU types cost to be as good as sure, by the page if that says so."""
        return await sure_cost_beside(self.shown.simulator, self.shown.answer, self.shown.seen, one)

    async def _known_sure_cost(self) -> float:
        """Return what the best known as well as the answer costs to be as good as sure, by the page if that says so."""
        told = [one.cost for one in told_to_be_sure(self.shown.answer) if not one.speeds]
        return min(told) if told else await self._sure_cost(self.best)

    async def _first(self, find: Find, counts: Callable[[Candidate], bool]) -> Candidate | None:
        if self.simulate:
            return await self.shown.best(find, counts)
        return next(iter(await find(self.shown.seen)), None)

    async def _dared(self, other: Candidate | None) -> Candidate | None:
        """Return the best without the answer's GPU types once a search as a plan's went on beside what was simulated.

        The formulas refuse fleets that may hold; what was seen of these corrects them. What is left is kept.
        """
        shown = self.shown
        simulator, question = shown.simulator, shown.simulator.source.question
        by_formula = other is not None and other.simulation is None and not shown.looks
        if other is None or by_formula or question.confidence is not None:
            return other
        fleets = await simulator.workers.run(
            "advice-shapes", list[Candidate], source=simulator.source, answer=shown.answer
        )
        curves = await simulator.curves([one.fleet for one in fleets])
        search = DaredBeside(
            shown=shown,
            shapes=[*zip(fleets, curves, strict=True)],
            counts=self._is_other,
            finer=partial(splits_near, simulator, shown.answer, question),
        )
        before = len(shown.looks)
        shown.untried = await search.left()
        if len(shown.looks) > before and await self._first(self._without, self._is_other) is not other:
            shown.untried = await replace(search, most=0).left()
        return min(filter(self._is_other, shown.shown), key=shown.worth, default=other)

    async def _without(self, seen: Answer) -> list[Candidate]:
        """Return the fleets without the answer's GPU types that hold by formula as what was seen corrects it."""
        simulator = self.shown.simulator
        found = await simulator.workers.run("advice-without", list[Candidate], source=simulator.source, answer=seen)
        if simulator.source.question.confidence is not None:
            return found
        return sorted((*found, *filter(self._is_other, self.shown.may_hold(self.ranked))), key=self.shown.worth)

    def _is_other(self, one: Candidate) -> bool:
        """Return whether a fleet has none of the answer's GPU types, and is no better than it."""
        return self._is_without(one) and self.shown.worth(one) >= self.shown.worth(self.best) - CENT

    def _is_without(self, one: Candidate) -> bool:
        """Return whether a fleet has none of the answer's GPU types."""
        return self.best.fleet.gpus_by_type.keys().isdisjoint(one.fleet.gpus_by_type)

    def _may_be_cheaper(self, one: Candidate) -> bool:
        """Return whether a fleet costs less than the answer, and is not it since much less is known of it."""
        return self._is_aside(one) and one.cost_per_hour < self.best.cost_per_hour - CENT

    def _is_aside(self, one: Candidate) -> bool:
        """Return whether a fleet is no rival of the answer, since much less is known of it."""
        return self.shown.simulator.source.question.sets_aside(one, self.best)
