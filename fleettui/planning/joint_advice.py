"""What is advised in a joint plan: each is tried over the whole stock, and told with what all then cost.

A fleet that fits beside those that the others have is simulated, as that of a plan by itself. One that does not says
nothing of a stock that others use, too: then all are chosen anew, by formula.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.advice import CENT, Advice
from fleettui.domain.joint import Joint, JointQuestion, Kind, Offered, Option, Planned
from fleettui.domain.plan import Answer
from fleettui.errors import InputError
from fleettui.planning.joint_apart import Left
from fleettui.planning.joint_candidates import Menu
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.proven_advice import ProvenAdvice
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import together

WIDTH = 80
"""Characters that a line of advice has at most where it tells GPUs."""
_RATE = re.compile(r", --rate \S+$")
"""The option that asks a plan of a workload by itself for a rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What all take more or less together: `money` in words, and the `gpus` of each type."""

    money: str
    gpus: str = ""

    @classmethod
    def of(cls, dearer: float, gpus: Mapping[str, int], *, simulated: bool = False) -> Taken:
        """Return so many US dollars an hour in words, with the GPUs by type that are more or, below zero, fewer.

        Of what was simulated others were not, which may cost less: it is a bound.
        """
        moved = ", ".join(f"{count:+d} {gpu.upper()}" for gpu, count in gpus.items() if count)
        money = f"${abs(dearer):,.2f}/h {'more' if dearer > 0 else 'less'}"
        bound = f"at {'most' if dearer > 0 else 'least'} {money}"
        return cls(money=bound if simulated else f"~{money} by formula", gpus=moved)

    @property
    def whole(self) -> str:
        """Both."""
        return f"{self.money} ({self.gpus})" if self.gpus else self.money


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
        found = await together(self._of(place, planned, now) for place in range(len(planned)))
        return tuple(line for lines in found for line in lines)

    async def _of(self, place: int, every: Sequence[Planned], now: Joint) -> list[str]:
        planned = every[place]
        plan = planned.plan
        if plan is None or plan.answer is None:
            return []
        kept = self.desk.kept(plan.plan.id)
        source = kept.source(f"advice {kept.id}", kept.profiles)
        others = [each.plan for at, each in enumerate(every) if at != place]
        tried = [
            (one, self._beside(plan, others, one, simulated=simulated) or await self._taken(place, planned, one, now))
            for one, simulated in await self._worth(planned.entry.name, plan, source)
        ]
        told = [(one, taken) for one, taken in tried if taken]
        settings = [one for one, _ in told if one.sets_engine]
        return [_line(planned.entry.name, one, taken) for one, taken in told if one not in settings[1:]]

    async def _worth(self, name: str, plan: Answer, source: SceneSource) -> Sequence[tuple[Advice, bool]]:
        """Return what would change the plan of one workload, each with whether it is as simulated."""
        if plan.simulation is None or not self.question.verify:
            worth = await self.desk.run("advice", list[Advice], source=source, answer=plan)
            return [(one, False) for one in worth]
        return await ProvenAdvice(
            workers=self.desk.workers,
            source=source,
            answer=plan,
            seed=self.question.seed,
            tell=lambda words, done, wanted: self.desk.tell(f"{name}: {words}", done, wanted),
        ).shown()

    def _beside(self, plan: Answer, others: Sequence[Answer | None], one: Advice, *, simulated: bool) -> Taken | None:
        """Return what an advised fleet takes beside those that the others have, None where it does not fit there.

        Nor is it told where whole nodes are shared, or where something else than cost is to be least.
        """
        left, best = Left.of(self.question), plan.answer
        if one.found is None or best is None or self.question.limits.whole_nodes or self.question.objective != "cost":
            return None
        for other in others:
            left.take(other)
        if not left.holds(replace(plan, answer=one.found)):
            return None
        before, after = best.fleet.gpus_by_type, one.found.fleet.gpus_by_type
        moved = {gpu: after.get(gpu, 0) - before.get(gpu, 0) for gpu in (*after, *before)}
        dearer = one.found.cost_per_hour - best.cost_per_hour
        return Taken.of(dearer, moved, simulated=simulated) if abs(dearer) > CENT else None

    async def _taken(self, place: int, planned: Planned, one: Advice, now: Joint) -> Taken | None:
        """Return what all take together where one workload is asked as advised, None where that is no news."""
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
            return None
        own = Menu.of(replace(planned.entry, question=one.question), offered, self.kinds).options
        tables = [own if at == place else table for at, table in enumerate(self.tables)]
        then = await self._choose(tables) if own else Joint(chosen=None)
        if then.chosen is None:
            return None if one.saves else Taken(money="all do not fit, by formula")
        dearer = then.cost - now.cost
        if (-dearer if one.saves else dearer) <= CENT:
            return None
        pairs = zip(self.kinds, then.paid, now.paid, strict=True)
        return Taken.of(dearer, {kind.name: after - before for kind, after, before in pairs})

    async def _choose(self, tables: Sequence[Sequence[Option]]) -> Joint:
        return await self.desk.run(
            "joint-choice",
            Joint,
            tables=[list(table) for table in tables],
            kinds=self.kinds,
            limits=self.question.limits,
            objective=self.question.objective,
        )


def _line(name: str, one: Advice, taken: Taken) -> str:
    """Return advice as a line of a workload, whose name stands in the place of what its own plan begins with.

    Its rate stands in it, and no option sets that of one workload. GPUs are told where there is room for them.
    """
    _, _, words = one.words.partition(": ")
    words = _RATE.sub("", words)
    whole, brief = (f"{name}: {words.format(taken=told)}" for told in (taken.whole, taken.money))
    return whole if len(whole) <= WIDTH else brief
