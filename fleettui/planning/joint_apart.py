"""Workloads of a joint plan, planned one after the other: what a joint plan must not be dearer than."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fleettui.domain.joint import Entry, JointPlan, JointQuestion, Kind, Option, Planned
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.planning.joint_candidates import Menu
from fleettui.planning.make_plan import begin, is_proven
from fleettui.planning.run_job import work_on
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import together
from fleettui.planning.worker_process import Report

ROUNDING = 1e-9
AT_ONCE = 4
"""Fleets that are proven side by side: one that waits for its last run leaves its worker to the others."""

PlanKey = tuple[str, Question, float]
"""A workload, what was asked of it, and the amount of the objective that its plan was to promise less than."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneByOne:
    """A joint question whose workloads are planned one after the other; `told` returns the report of one's work.

    `turns` says how many of these are under way at once where none waits for what another one leaves.
    `known` are the plans by workload, question and what was to be promised less than, None where none holds or promises
    that: none is made twice.
    """

    desk: StudyContext
    question: JointQuestion
    kinds: tuple[Kind, ...]
    told: Callable[[str], Report | None]
    trace_format: str | None
    known: dict[PlanKey, Answer | None] = field(default_factory=dict)
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def offer(self, menus: Sequence[Menu]) -> bool:
        """Plan each workload by itself and offer what passes to its menu; return whether all have their own best.

        Each is planned as it is asked, some side by side, and again inside what the ones before it have left where it
        does not fit there.
        Nodes that are paid for whole are shared, so that no workload has a best of its own: each is also planned on
        every GPU type alone, as one more type is one more node.
        """
        left, own = Left.of(self.question), not self.question.limits.whole_nodes
        alone = await together(self._alone(menu) for menu in menus)
        for menu, found in zip(menus, alone, strict=True):
            fits = left.holds(found)
            own = own and fits
            left.take(found if fits else await self.inside(menu, left))
        for menu in menus if self.question.limits.whole_nodes else ():
            await self._on_each_type(menu)
        return own

    async def _alone(self, menu: Menu) -> Answer | None:
        async with self.turns:
            return await self.planned(menu, self.asked(menu))

    async def _on_each_type(self, menu: Menu) -> None:
        """Plan a workload on each GPU type alone, but for the one that its plan by itself is of."""
        asked = self.asked(menu)
        own = self.known.get((menu.entry.name, asked, math.inf))
        used = {} if own is None or own.answer is None else own.answer.fleet.gpus_by_type
        for gpu in menu.gpus:
            if {*used} != {gpu}:
                await self.planned(menu, replace(asked, gpus=(gpu,)))

    def asked(self, menu: Menu) -> Question:
        """Return what a workload asks for by itself."""
        return self._by_itself(menu.entry)

    def _by_itself(self, entry: Entry) -> Question:
        return replace(entry.question, objective=self.question.objective)

    def beside_own(self, plan: JointPlan) -> JointPlan:
        """Return a plan that passes with what those who are not held back have by themselves, where that is other."""
        return replace(plan, planned=tuple(one if one.needs else self._beside_own(one) for one in plan.planned))

    def _beside_own(self, one: Planned) -> Planned:
        own, found = self.known.get((one.entry.name, self._by_itself(one.entry), math.inf)), one.plan
        if own is None or own.answer is None or found is None or found.answer is None:
            return replace(one, is_own=False)
        alone, used = own.answer.fleet.gpus_by_type, found.answer.fleet.gpus_by_type
        if alone == used:
            return one
        return replace(one, is_own=False, alone=tuple(sorted(alone.items())), alone_cost=own.answer.cost_per_hour)

    async def inside(self, menu: Menu, left: Left, *, below: float = math.inf) -> Answer | None:
        """Plan a workload inside what is left, if its plan by itself does not fit; None where no fleet holds there.

        Nor is there one where the formulas promise no less than `below` of the objective: that is not simulated.
        """
        asked = self.asked(menu)
        own, question = self.known.get((menu.entry.name, asked, math.inf)), left.within(asked, menu.gpus)
        if question is None or left.holds(own):
            return own if left.holds(own) else None
        return await self.planned(menu, question, below=below)

    async def planned(self, menu: Menu, question: Question, *, below: float = math.inf) -> Answer | None:
        """Return the proven plan of one question, offered to the menu; None where no fleet holds or promises enough."""
        for (name, asked, most), plan in self.known.items():
            if (name, asked) == (menu.entry.name, question) and (plan is not None or below <= most):
                return plan
        found = self.known[menu.entry.name, question, below] = await self._planned(menu, question, below)
        return found

    async def _planned(self, menu: Menu, question: Question, below: float) -> Answer | None:
        store, report = self.desk.store, self.told(menu.entry.name)
        try:
            new = await self.desk.run("plan", NewPlan, report, question=question, format=self.trace_format)
        except InputError:  # its limits leave nothing to search
            return None
        best = new.answer.answer
        if not is_proven(new):
            return None
        if best is not None and self._amount(best) >= below:
            return None
        job = begin(store, new, kind="plan", advise=False)
        answer = await work_on(store, job, report=report, pool=self.desk.workers, prices=True)
        if answer.verdict == "pass":
            menu.offer(answer, self.kinds)
            return answer
        store.set_name(answer.plan.id, "")
        store.archive(answer.plan.id)
        return None

    def _amount(self, one: Candidate) -> float:
        return self.question.amount(cost=one.cost_per_hour, gpus=one.gpus, power=one.power)


@dataclass(slots=True, kw_only=True)
class Left:
    """What of the shared limits is left: GPUs by type and in all, US dollars an hour, watts; None is no limit."""

    gpus: dict[str, int]
    total: int | None
    budget: float | None
    power: float | None

    @classmethod
    def of(cls, question: JointQuestion) -> Left:
        """Return all that a joint question allows."""
        limits = question.limits
        return cls(
            gpus=dict(limits.max_gpus),
            total=limits.max_total_gpus,
            budget=limits.budget,
            power=limits.max_power,
        )

    def holds(self, plan: Answer | None) -> bool:
        """Return whether a plan's fleet fits in what is left; where there is no plan nothing does."""
        best = None if plan is None else plan.answer
        if best is None:
            return False
        used = best.fleet.gpus_by_type
        pairs = [(used.get(name, 0), count) for name, count in self.gpus.items()]
        pairs += [] if self.total is None else [(sum(used.values()), self.total)]
        others = ((best.cost_per_hour, self.budget), (best.power, self.power))
        limited = [(taken, most) for taken, most in others if most is not None]
        return all(taken <= most for taken, most in pairs) and all(
            taken <= most * (1 + ROUNDING) for taken, most in limited
        )

    def within(self, question: Question, usual: Sequence[str] = ()) -> Question | None:
        """Return a question that asks for no more than is left, None where nothing is.

        GPUs of which none is left are not asked for; a question that names no GPUs is about the `usual` ones.
        """
        names = question.gpus or tuple(usual)
        kept = tuple(name for name in names if self.gpus.get(name, 1))
        spent = any(one is not None and one <= 0 for one in (self.total, self.budget, self.power))
        if spent or (names and not kept):
            return None
        return replace(
            question,
            gpus=question.gpus if kept == names else kept,
            max_gpus=tuple((name, count) for name, count in self.gpus.items() if count or not names),
            max_total_gpus=self.total,
            budget=self.budget,
            max_power=self.power,
        )

    def take(self, plan: Answer | None) -> None:
        """Take what a plan's fleet uses from what is left; no plan uses nothing."""
        best = None if plan is None else plan.answer
        if best is not None:
            self._take(best.fleet.gpus_by_type, best.cost_per_hour, best.power)

    def reserve(self, option: Option, kinds: Sequence[Kind]) -> None:
        """Take what a fleet of a menu uses from what is left."""
        used = {kind.name: count for kind, count in zip(kinds, option.gpus, strict=True)}
        self._take(used, option.cost(kinds), option.watts)

    def _take(self, used: Mapping[str, int], cost: float, power: float) -> None:
        for name in self.gpus:
            self.gpus[name] = max(0, self.gpus[name] - used.get(name, 0))
        self.total = None if self.total is None else max(0, self.total - sum(used.values()))
        self.budget = None if self.budget is None else max(0.0, self.budget - cost)
        self.power = None if self.power is None else max(0.0, self.power - power)
