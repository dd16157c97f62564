"""The router behind which a question takes the least fleet, beside what the others would need.

The formulas say of each kind of router what it takes, and the first of the kind that takes least is planned with. On
the shape of fleet that this comes to, every other router whose formula is not far above gets the smallest fleet that
holds behind it, simulated. Where one takes less, a plan is made with it; both plans say what came of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.routers import Needed
from fleettui.domain.scenario import Question
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.router_trials import RouterTrials, needed_of
from fleettui.planning.routers_that_apply import Applying
from fleettui.planning.searched_cap import Make
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worth import best_first, worth_of
from fleettui.reports import searched_router_text
from fleettui.routing import ROUTERS, formula_kind

if TYPE_CHECKING:
    pass

FAR = 1.25
"""A router is not simulated whose fleet is worth so many times the answer's by formula, corrected alike."""
ROUNDING = 1e-9


async def plan_with_router(question: Question, make: Make, *, desk: StudyContext, parent: str) -> Answer:
    """Return the answer to a question that leaves the router to the search."""
    names = Applying.to(question, max(question.pools)).names
    formulas = await _by_formula(question, names, desk)
    first = _first(names, formulas, question)
    found = list[Candidate]()

    async def search(new: NewPlan, answer: Answer) -> Answer:
        others = _Others(question=question, formulas=formulas, first=first, new=new, answer=answer, desk=desk)
        needed = await others.needed()
        found.extend(others.better)
        return _telling(answer, searched_router_text.beside_others(first, answer.answer, needed))

    plain = await make(asked_with(question, first), parent=parent, last=search)
    if not found:
        return plain
    (chosen,) = found

    async def compare(_: NewPlan, answer: Answer) -> Answer:
        words = searched_router_text.beside_first(chosen.fleet.router, answer.answer, first, plain)
        return _telling(answer, words)

    other = await make(asked_with(question, chosen.fleet.router), parent=plain.plan.id, last=compare)
    return other if _holds_for(other, question) < _holds_for(plain, question) else plain


def _first(names: Sequence[str], formulas: Mapping[str, Candidate | None], question: Question) -> str:
    """Return the router of the least fleet by formula, of equals the first; where prefixes are cached one that keeps
    together what begins alike.
    """
    apart = {name: question.prefix_cache and not ROUTERS.named(name).together for name in names}
    return min(names, key=lambda name: (_worth(formulas[name], question), apart[name]))


def asked_with(question: Question, name: str) -> Question:
    """Return a question with a router, which looks at loads as often as was asked if it looks at any."""
    refresh = question.router_refresh if ROUTERS.named(name).knows else None
    return replace(question, router=name, router_refresh=refresh)


async def _by_formula(question: Question, names: Sequence[str], desk: StudyContext) -> dict[str, Candidate | None]:
    """Return the best fleet by formula behind each router; those that the formulas take alike are searched once."""
    kinds: dict[object, Candidate | None] = {}
    for name in names:
        kind = formula_kind(ROUTERS.named(name))
        if kind not in kinds:
            asked = replace(asked_with(question, name), verify=False)
            kinds[kind] = (await desk.run("plan", NewPlan, question=asked)).answer.answer
    return {name: kinds[formula_kind(ROUTERS.named(name))] for name in names}


def _worth(fleet: Candidate | None, question: Question) -> float:
    return float("inf") if fleet is None else worth_of(question.objective, question.host_power)(fleet)


def _holds_for(answer: Answer, question: Question) -> float:
    """Return what an answer is worth, endless where it does not hold."""
    return _worth(answer.answer, question) if answer.verdict == "pass" else float("inf")


def _telling(answer: Answer, words: str) -> Answer:
    return replace(answer, why=(*answer.why, words))


@dataclass(slots=True, kw_only=True)
class _Others:
    """The other routers on the fleet of a plan with the `first`; `better` is the fleet of one that takes less."""

    question: Question
    formulas: dict[str, Candidate | None]
    first: str
    new: NewPlan
    answer: Answer
    desk: StudyContext
    better: tuple[Candidate, ...] = ()

    async def needed(self) -> list[Needed]:
        """Return what each other router would need, and set `better`."""
        best = self.answer.answer
        if best is None:
            return []
        names = Applying.to(self.question, len(best.fleet.pools)).names
        rows, simulated = list[Needed](), list[Candidate]()
        for name in names:
            if name == self.first:
                continue
            found, tried = await self._smallest(name, best)
            rows.append(Needed(router=name) if found is None else needed_of(name, found, simulated=tried > 0))
            if found is not None and tried:
                simulated.append(found)
        held = self.answer.verdict == "pass"
        ranked = best_first(sorted(simulated, key=lambda one: one.cost_per_hour), self.question.objective)
        least = _worth(best, self.question) * (1.0 - ROUNDING) if held else float("inf")
        self.better = tuple(one for one in ranked if _worth(one, self.question) < least)[:1]
        return rows

    async def _smallest(self, name: str, best: Candidate) -> tuple[Candidate | None, int]:
        """Return the smallest fleet behind a router and how many were simulated, none where formulas leave it far."""
        formula = self.formulas[name]
        if not self.question.verify or self._is_far(formula):
            return formula, 0
        return await self._trials(best).smallest(name)

    def _is_far(self, formula: Candidate | None) -> bool:
        first = _worth(self.formulas[self.first], self.question)
        return _worth(formula, self.question) >= FAR * first > 0.0

    def _trials(self, best: Candidate) -> RouterTrials:
        kept = KeptPlan(
            ref="",
            answer=self.answer,
            scenario=self.new.scenario,
            workload=self.new.workload,
            profiles=self.new.profiles,
            finished=True,
        )
        return RouterTrials(desk=self.desk, kept=kept, best=best)
