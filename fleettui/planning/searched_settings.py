"""The settings with which a question takes the least fleet, beside what their other values would need.

The formulas say what each combination of what is tried takes, and the first of those that take least is planned with.
Every combination that differs from it in one setting, and whose formula is not far above or below what holds with the
first, then gets the smallest fleet of its own best shape that holds, simulated. Where one takes less, a plan is made
with it; both plans say what came of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.router_trials import RouterTrials
from fleettui.planning.searched_cap import Make
from fleettui.planning.settings_tried import Setting, combinations, searched
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worth import best_first, worth_if_it_holds, worth_of
from fleettui.reports import searched_settings_text
from fleettui.reports.searched_settings_text import Told
from fleettui.routing import ROUTERS

FAR = 1.25
"""A setting is not simulated whose fleet is worth so many times the first one's, both by formula, and what the first
one's is as simulated.
"""
ROUNDING = 1e-9


async def plan_with_settings(question: Question, make: Make, *, desk: StudyContext, parent: str) -> Answer:
    """Return the answer to a question that leaves settings to the search."""
    settings = searched(question)
    every = combinations(question, settings)
    formulas = await _by_formula(every, settings, desk)
    first = _first(every, formulas)
    found = list[_Better]()

    async def search(_: NewPlan, answer: Answer) -> Answer:
        others = _Others(settings=settings, every=every, formulas=formulas, first=first, answer=answer, desk=desk)
        told = await others.told()
        found.extend(others.better)
        best = answer.answer
        words = (
            searched_settings_text.beside_others(one.option, one.name(first), best, told[one.option])
            for one in settings
        )
        return replace(answer, why=(*answer.why, *words))

    plain = await make(first, parent=parent, last=search)
    if not found:
        return plain
    (chosen,) = found

    async def compare(_: NewPlan, answer: Answer) -> Answer:
        option, names = chosen.setting.option, [chosen.setting.name(one) for one in (chosen.question, first)]
        words = searched_settings_text.beside_first(option, names[0], answer.answer, names[1], plain)
        return replace(answer, why=(*answer.why, words))

    other = await make(chosen.question, parent=plain.plan.id, last=compare)
    return other if worth_if_it_holds(other, question) < worth_if_it_holds(plain, question) else plain


def _first(every: Sequence[Question], formulas: Sequence[Candidate | None]) -> Question:
    """Return the combination of the least fleet by formula, of equals the first; where prefixes are cached one that
    keeps together what begins alike.
    """

    def rank(place: int) -> tuple[float, bool]:
        asked = every[place]
        apart = asked.prefix_cache and not ROUTERS.named(asked.router).together
        return _worth(formulas[place], asked), apart

    return every[min(range(len(every)), key=rank)]


async def _by_formula(
    every: Sequence[Question], settings: Sequence[Setting], desk: StudyContext
) -> list[Candidate | None]:
    """Return the best fleet by formula of each combination; those that the formulas take alike are searched once."""
    kinds = [tuple(one.kind(asked) for one in settings) for asked in every]
    asked = dict(zip(reversed(kinds), reversed(every), strict=True))
    work = [desk.run("plan", NewPlan, question=replace(one, verify=False)) for one in asked.values()]
    plans = await desk.each(work, f"searching fleets with {len(every)} combinations of settings")
    fleets = {kind: plan.answer.answer for kind, plan in zip(asked, plans, strict=True)}
    return [fleets[kind] for kind in kinds]


def _worth(fleet: Candidate | None, question: Question) -> float:
    return float("inf") if fleet is None else worth_of(question.objective, question.host_power)(fleet)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Better:
    """A combination that takes less than the first, and the setting in which they differ."""

    question: Question
    setting: Setting
    fleet: Candidate


@dataclass(slots=True, kw_only=True)
class _Others:
    """The combinations beside a plan with the `first`; `better` is one whose fleet takes less."""

    settings: Sequence[Setting]
    every: Sequence[Question]
    formulas: Sequence[Candidate | None]
    first: Question
    answer: Answer
    desk: StudyContext
    better: tuple[_Better, ...] = field(default=())

    async def told(self) -> dict[str, list[Told]]:
        """Return by option what each of its other values would need, all else as in the first, and set `better`."""
        best, rows = self.answer.answer, {one.option: list[Told]() for one in self.settings}
        simulated = list[_Better]()
        if best is None:
            return rows
        for setting in self.settings:
            for asked, formula in self._beside(setting):
                fleet, tried = await self._smallest(setting, asked, formula)
                rows[setting.option].append(Told(name=setting.name(asked), fleet=fleet, simulated=tried > 0))
                if fleet is not None and tried:
                    simulated.append(_Better(question=asked, setting=setting, fleet=fleet))
        least = self._held if self.answer.verdict == "pass" else float("inf")
        fleets = best_first(sorted((one.fleet for one in simulated), key=_cost), self.first.objective)
        wanted = next((one for one in fleets if _worth(one, self.first) < least), None)
        self.better = tuple(one for one in simulated if one.fleet is wanted)[:1]
        return rows

    def _beside(self, setting: Setting) -> list[tuple[Question, Candidate | None]]:
        """Return the combinations, with their fleets by formula, that differ from the first in a setting alone."""
        others = [one for one in self.settings if one is not setting]
        return [
            (asked, formula)
            for asked, formula in zip(self.every, self.formulas, strict=True)
            if setting.value(asked) != setting.value(self.first)
            and all(one.value(asked) == one.value(self.first) for one in others)
        ]

    async def _smallest(
        self, setting: Setting, asked: Question, formula: Candidate | None
    ) -> tuple[Candidate | None, int]:
        """Return the smallest fleet of a combination's own best shape and how many were simulated, none where formulas
        leave it far.
        """
        if not asked.verify or self._is_far(formula):
            return formula, 0
        new = await self.desk.run("plan", NewPlan, question=replace(asked, verify=False))
        best = new.answer.answer
        if best is None:
            return None, 0
        kept = KeptPlan.of_new(new, new.answer)
        words = f"with {setting.option} {setting.name(asked)}"
        return await RouterTrials(desk=self.desk, kept=kept, best=best, words=words).smallest(asked.router)

    @property
    def _held(self) -> float:
        """What is better than the fleet that holds with the first is worth less than this; 0 where none holds."""
        held = self.answer.answer if self.answer.verdict == "pass" else None
        return 0.0 if held is None else _worth(held, self.first) * (1.0 - ROUNDING)

    def _is_far(self, formula: Candidate | None) -> bool:
        first = _worth(self.formulas[self.every.index(self.first)], self.first)
        return _worth(formula, self.first) >= max(FAR * first, self._held) > 0.0


def _cost(fleet: Candidate) -> float:
    return fleet.cost_per_hour
