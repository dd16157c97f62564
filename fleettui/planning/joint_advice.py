"""What is advised in a joint plan: each is tried over the whole stock, by formula, and told with what all then take.

What one workload would take alone says nothing of a stock that others use, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fleettui.domain.advice import CENT, Advice
from fleettui.domain.fleet import counted
from fleettui.domain.joint import Joint, JointQuestion, Kind, Offered, Option, Planned
from fleettui.errors import InputError
from fleettui.planning.joint_candidates import Menu
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import together


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedTogether:
    """The fleets that the formulas offer each workload, the `tables`, and how another choice among such is made."""

    desk: StudyContext
    question: JointQuestion
    kinds: tuple[Kind, ...]
    tables: Sequence[Sequence[Option]]
    trace_format: str | None

    async def advice(self, planned: Sequence[Planned]) -> tuple[str, ...]:
        """Return what would change the joint answer, one line each, with the workload whose key it is."""
        now = await self._choose(self.tables)
        if now.chosen is None:
            return ()
        found = await together(self._of(place, one, now) for place, one in enumerate(planned))
        return tuple(line for lines in found for line in lines)

    async def _of(self, place: int, planned: Planned, now: Joint) -> list[str]:
        plan = planned.plan
        if plan is None or plan.answer is None:
            return []
        kept = self.desk.kept(plan.plan.id)
        source = kept.source(f"advice {kept.id}", kept.profiles)
        worth = await self.desk.run("advice", list[Advice], source=source, answer=plan)
        tried = [(one, await self._taken(place, planned, one, now)) for one in worth]
        told = [(one, taken) for one, taken in tried if taken]
        settings = [one for one, _ in told if one.sets_engine]
        return [_line(planned.entry.name, one, taken) for one, taken in told if one not in settings[1:]]

    async def _taken(self, place: int, planned: Planned, one: Advice, now: Joint) -> str:
        """Return what all take together where one workload is asked as advised, empty where that is no news."""
        try:
            offered = await self.desk.run(
                "joint-options",
                Offered,
                question=one.question,
                format=self.trace_format,
                by_power=self.question.by_power,
                stocks=[name for name, _ in self.question.limits.max_gpus],
            )
        except InputError:
            return ""
        own = Menu.of(replace(planned.entry, question=one.question), offered, self.kinds).options
        tables = [own if at == place else table for at, table in enumerate(self.tables)]
        then = await self._choose(tables) if own else Joint(chosen=None)
        if then.chosen is None:
            return "" if one.saves else "all do not fit"
        more, dearer = sum(then.paid) - sum(now.paid), then.cost - now.cost
        if (-dearer if one.saves else dearer) <= CENT or (more < 0) is not one.saves or not more:
            return ""
        return f"~{counted(abs(more))} {'more' if more > 0 else 'fewer'} in all"

    async def _choose(self, tables: Sequence[Sequence[Option]]) -> Joint:
        return await self.desk.run(
            "joint-choice",
            Joint,
            tables=[list(table) for table in tables],
            kinds=self.kinds,
            limits=self.question.limits,
            objective=self.question.objective,
        )


def _line(name: str, one: Advice, taken: str) -> str:
    """Return advice as a line of a workload, whose name stands in the place of what its own plan begins with.

    A rate is typed in the file, which has one for each.
    """
    _, _, words = one.words.partition(": ")
    return f"{name}: {words.format(taken=taken)}".replace("--rate ", "rate: ")
