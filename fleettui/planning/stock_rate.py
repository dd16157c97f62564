"""How much traffic the GPUs that a question allows carry: the greatest rate at which some fleet keeps its limits.

Fleets are searched for by simulation at the rungs of one ladder, as a plan for that rate searches. The formulas say
where to begin.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from fleettui.domain.carried import Carried
from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import Question
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.ladder import below, rung
from fleettui.planning.plan_apart import by_formula, planned_apart
from fleettui.planning.studies.study_context import StudyContext

FARTHEST = 350
"""Rungs down at most that are gone, which is to a thousandth of a rate."""

Holds = Callable[[int], Awaitable[bool]]
"""Whether something holds at the rung with this place."""
Expected = Callable[[int], int | None]
"""The place of the rung at which something may hold, as what failed at this one says; None where it does not."""


@dataclass(slots=True, kw_only=True)
class StockRates:
    """Fleets of what a question allows at other rates than its plan's, `kept`; `seen` are those searched for."""

    desk: StudyContext
    kept: KeptPlan
    seen: dict[int, Carried] = field(default_factory=dict)

    async def greatest(self) -> list[Carried]:
        """Return what was found at each rate at which fleets were searched for by simulation, the least rate first.

        The greatest rate that is carried, if any is, and the next on the ladder that is not are among them.
        """
        now, proven = self.kept.answer.demand.rate, self.kept.question.verify
        await search(self._by_formula, self._simulated, now, proven=proven)
        return [self.seen[at] for at in sorted(self.seen)]

    def _asked(self, rate: float) -> Question:
        return replace(self.kept.question, demand=Demand(form="rate", rate=rate), ranges=(), verify=True)

    async def _by_formula(self, at: int) -> bool:
        self.desk.tell(f"{_rate(rung(at))} by formula")
        found = await by_formula(self.kept, self._asked(rung(at)), self.desk.workers)
        return found.answer.answer is not None

    async def _simulated(self, at: int) -> bool:
        if at not in self.seen:
            self.seen[at] = await self.desk.once(rung(at), Carried, lambda: self._carried(rung(at)))
        return self.seen[at].fleet is not None

    async def _carried(self, rate: float) -> Carried:
        def told(step: Progress) -> None:
            if self.desk.report is not None:
                self.desk.report(replace(step, message=f"{_rate(rate)}: {step.message}"))

        plan = await planned_apart(self.kept, self._asked(rate), self.desk.workers, told)
        return carried(rate, plan)


def carried(rate: float, plan: Answer | None) -> Carried:
    """Return what a plan for a rate shows: its fleet where that passes."""
    if plan is None or plan.verdict != "pass":
        return Carried(rate=rate)
    return Carried(rate=rate, fleet=plan.answer, confidence=plan.confidence)


async def search(
    by_formula: Holds, simulated: Holds, now: float, *, proven: bool, expected: Expected | None = None
) -> None:
    """Ask where something holds `simulated`, from where it does so `by_formula`, which is asked first.

    Nothing holds `now`, as simulated where that is `proven`: else more than by formula may hold.
    """
    start = below(now)
    most = start if proven else start + FARTHEST
    likely = await greatest_place(by_formula, start, most)
    await greatest_place(simulated, most if likely is None else likely, most, expected)


async def greatest_place(holds: Holds, start: int, most: int, expected: Expected | None = None) -> int | None:
    """Return the greatest place up to `most` at which something holds, searched for from `start`; None where none is.

    What holds at a place is taken to hold below it. Steps double until it is bounded on both sides, then they halve.
    Where what failed at a place says what is `expected` to hold, that is next, and steps go up from it.
    """
    start = min(start, most)
    low, high, step = start, most + 1, 1
    if await holds(start):
        while (next_ := min(low + step, most)) > low and await holds(next_):
            low, step = next_, 2 * step
        high = next_ if next_ > low else high
    else:
        high, low = start, _next(start, 1, expected)
        while not await holds(low):
            if low <= start - FARTHEST:
                return None
            high, step = low, 2 * step
            low = _next(low, step, expected)
        step = 1
        while expected is not None and (next_ := low + step) < high:
            low, high, step = (next_, high, 2 * step) if await holds(next_) else (low, next_, step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if await holds(middle) else (low, middle)
    return low


def _next(low: int, step: int, expected: Expected | None) -> int:
    """Return the place to look at after one that failed: so many steps below it, or as far as is `expected`."""
    place = None if expected is None else expected(low)
    return low - step if place is None else min(low - step, place)


def _rate(value: float) -> str:
    return f"{value:.4g} requests/s"
