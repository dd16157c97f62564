"""Workloads of a joint plan, planned one after the other: what a joint plan must not be dearer than."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.joint import JointQuestion, Kind
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.planning.joint_candidates import Menu
from fleettui.planning.make_plan import begin, is_proven
from fleettui.planning.run_job import work_on
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_process import Report

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class OneByOne:
    """A joint question whose workloads are planned one after the other; `told` returns the report of one's work."""

    desk: StudyContext
    question: JointQuestion
    kinds: tuple[Kind, ...]
    told: Callable[[str], Report | None]
    trace_format: str | None

    async def offer(self, menus: Sequence[Menu]) -> bool:
        """Plan each workload by itself and offer what passes to its menu; return whether all have their own best.

        Each is planned as it is asked, and again inside what the ones before it have left where it does not fit there.
        Nodes that are paid for whole are shared, so that no workload has a best of its own.
        """
        left, own = Left.of(self.question), not self.question.limits.whole_nodes
        for menu in menus:
            asked = replace(menu.entry.question, objective=self.question.objective)
            found = await self._planned(menu, asked)
            if not left.holds(found):
                own = False
                inside = left.within(asked)
                found = None if inside is None else await self._planned(menu, inside)
            left.take(found)
        return own

    async def _planned(self, menu: Menu, question: Question) -> Answer | None:
        """Return the proven plan of one question, offered to the menu; None where no fleet holds."""
        store, report = self.desk.store, self.told(menu.entry.name)
        try:
            new = await self.desk.run("plan", NewPlan, report, question=question, format=self.trace_format)
        except InputError:  # its limits leave nothing to search
            return None
        if not is_proven(new):
            return None
        answer = await work_on(
            store, begin(store, new, kind="plan"), report=report, pool=self.desk.workers, advise=False
        )
        if answer.verdict == "pass":
            menu.offer(answer, self.kinds)
            return answer
        store.set_name(answer.plan.id, "")
        store.archive(answer.plan.id)
        return None


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

    def within(self, question: Question) -> Question | None:
        """Return a question that asks for no more than is left, None where nothing is."""
        gpus = tuple(name for name in question.gpus if self.gpus.get(name, 1))
        spent = any(one is not None and one <= 0 for one in (self.total, self.budget, self.power))
        if spent or (question.gpus and not gpus):
            return None
        return replace(
            question,
            gpus=gpus,
            max_gpus=tuple(self.gpus.items()),
            max_total_gpus=self.total,
            budget=self.budget,
            max_power=self.power,
        )

    def take(self, plan: Answer | None) -> None:
        """Take what a plan's fleet uses from what is left; no plan uses nothing."""
        best = None if plan is None else plan.answer
        if best is None:
            return
        used = best.fleet.gpus_by_type
        for name in self.gpus:
            self.gpus[name] = max(0, self.gpus[name] - used.get(name, 0))
        self.total = None if self.total is None else max(0, self.total - sum(used.values()))
        self.budget = None if self.budget is None else max(0.0, self.budget - best.cost_per_hour)
        self.power = None if self.power is None else max(0.0, self.power - best.power)
