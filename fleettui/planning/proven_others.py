"""What stands beside a proven answer: the best of other GPU types, what may be cheaper, what posted prices turn to.

The formulas name these fleets; what is told of each is what it was simulated to take, where that can be seen in short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.other_gpus import may_be_cheaper, other_gpu, slower_cost
from fleettui.domain.plan import AT_POSTED_PRICES, WITHOUT, Answer, Candidate, cheaper_gpus
from fleettui.domain.seen_fleets import make_of
from fleettui.planning.prepared_fleet import prepared
from fleettui.planning.prove import Simulator
from fleettui.planning.shown_fleets import MOST_MAKES, Find, ShownFleets
from fleettui.reports.posted_prices import PostedPrices

CENT = 0.005
"""US dollars an hour below which fleets cost the same."""


async def with_others(simulator: Simulator, answer: Answer, ranked: Sequence[Candidate], *, simulate: bool) -> Answer:
    """Return an answer with what is told beside it in place of what the formulas told beside theirs.

    The candidates of `answer` are all fleets that were simulated for it, `ranked` those that hold by formula. All is by
    formula where the answer does not hold, or where not to `simulate`.
    """
    best = answer.answer
    if best is None:
        return answer
    passes = answer.verdict == "pass"
    others = ProvenOthers(
        shown=ShownFleets(simulator=simulator, answer=answer), best=best, ranked=ranked, simulate=simulate and passes
    )
    why = [await others.told(reason) for reason in answer.why]
    warnings = [one for one in answer.warnings if not one.startswith(AT_POSTED_PRICES)]
    warnings += [await others.prices()] if passes else []
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

    async def told(self, reason: str) -> str:
        """Return a reason, told anew where it compares GPU types; empty where nothing is left of it."""
        if reason.startswith(WITHOUT):
            other = await self._first(self._without, self._is_other)
            wished = self.shown.simulator.source.question.confidence is not None
            slower = None if wished else slower_cost(self.best, self.best, self.ranked)
            return other_gpu(self.best, other, self.shown.simulator.source.question, slower)
        if cheaper_gpus(reason):
            return await self._cheaper(reason)
        return reason

    async def prices(self) -> str:
        """Return which fleet would cost less than the answer at posted prices, empty where none would."""
        found = await self._turned_by_formula()
        if not self.simulate:
            return "" if found is None else found.told
        for _ in range(MOST_MAKES):
            if found is None or found.other.simulation is not None or not await self.shown.look_at(found.other):
                break
            found = await self._turned_by_formula()
        shown = await self._turned(())
        if shown is not None:
            return (await self._best_divided(shown)).told
        return "" if found is None else found.told

    async def _turned_by_formula(self) -> PostedPrices | None:
        """Return what posted prices turn to, also among what the formulas find without the answer's GPU types."""
        return await self._turned((*self.ranked, *await self._without(self.shown.seen)))

    async def _best_divided(self, turned: PostedPrices) -> PostedPrices:
        """Return what prices turn to, its GPU types divided otherwise where that is simulated to cost less.

        Of those the formulas kept few for the prices as they are.
        """
        simulator, shown, other = self.shown.simulator, self.shown, turned.other
        if simulator.source.question.confidence is not None:
            return turned
        fleets = await simulator.workers.run(
            "advice-divided", list[Fleet], source=simulator.source, answer=shown.seen, turned=turned
        )
        for one in fleets:
            better = (await prepared(simulator.workers, simulator.source, one)).candidate
            if shown.is_open(better) and better.cost_per_hour < other.cost_per_hour - CENT:
                await shown.look_at(better)
                return await self._turned(()) or turned
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

        What the formulas told stays where they rank no such fleet.
        """
        expected = [one for one in self.ranked if self._may_be_cheaper(one)]
        if not expected:
            return reason

        async def find(_: Answer) -> Sequence[Candidate]:
            return self.shown.may_hold(expected)

        found = await self._first(find, self._may_be_cheaper)
        if found is None:
            return ""
        formula = next((one for one in expected if make_of(one) == make_of(found)), found)
        return may_be_cheaper(found, slower_cost(found, formula, self.ranked), self.best)

    async def _first(self, find: Find, counts: Callable[[Candidate], bool]) -> Candidate | None:
        if self.simulate:
            return await self.shown.best(find, counts)
        return next(iter(await find(self.shown.seen)), None)

    async def _without(self, seen: Answer) -> list[Candidate]:
        """Return the fleets without the answer's GPU types that hold by formula as what was seen corrects it."""
        simulator = self.shown.simulator
        found = await simulator.workers.run("advice-without", list[Candidate], source=simulator.source, answer=seen)
        if simulator.source.question.confidence is not None:
            return found
        return sorted((*found, *filter(self._is_other, self.shown.may_hold(self.ranked))), key=self.shown.worth)

    def _is_other(self, one: Candidate) -> bool:
        """Return whether a fleet has none of the answer's GPU types, and is no better than it."""
        own = self.best.fleet.gpus_by_type.keys()
        return own.isdisjoint(one.fleet.gpus_by_type) and self.shown.worth(one) >= self.shown.worth(self.best) - CENT

    def _may_be_cheaper(self, one: Candidate) -> bool:
        """Return whether a fleet costs less than the answer, and is not it since much less is known of it."""
        aside = self.shown.simulator.source.question.sets_aside(one, self.best)
        return aside and one.cost_per_hour < self.best.cost_per_hour - CENT
