"""How much of their traffic the GPUs that several workloads share carry: the greatest share of all their rates.

Fleets are searched for by simulation at the rungs of one ladder of shares, as a joint plan for these rates searches.
The formulas say where to begin.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from fleettui.domain.carried import CarriedTogether
from fleettui.domain.joint import Entry, JointAsked, JointPlan, JointQuestion
from fleettui.planning.joint_aside import planned_aside
from fleettui.planning.ladder import rung
from fleettui.planning.stock_rate import carried, search
from fleettui.planning.studies.study_context import StudyContext
from fleettui.workloads import library


def asked_again(plan: JointPlan, trace_format: str | None) -> JointAsked | None:
    """Return what a joint plan was asked, to ask it again; None where not all of its rates are known.

    Traces are named by whole paths, so that they are found from any folder.
    """
    rates = tuple(one.rate for one in plan.planned if one.rate is not None)
    if len(rates) < len(plan.planned):
        return None
    entries = tuple(map(_placed, plan.question.entries))
    return JointAsked(question=replace(plan.question, entries=entries), rates=rates, trace_format=trace_format)


def _placed(entry: Entry) -> Entry:
    workload = entry.question.workload
    if not workload or workload in library.names():
        return entry
    return replace(entry, question=replace(entry.question, workload=str(Path(workload).expanduser().absolute())))


@dataclass(slots=True, kw_only=True)
class StockShares:
    """Fleets within what a joint question allows at other shares of its rates; `seen` are those searched for."""

    desk: StudyContext
    asked: JointAsked
    seen: dict[int, CarriedTogether] = field(default_factory=dict)

    async def greatest(self) -> list[CarriedTogether]:
        """Return what was found at each share at which fleets were searched for by simulation, the least first.

        The greatest share that is carried, if any is, and the next on the ladder that is not are among them.
        """
        await search(self._by_formula, self._simulated, 1.0, proven=self.asked.question.verify)
        return [self.seen[at] for at in sorted(self.seen)]

    async def _by_formula(self, at: int) -> bool:
        plan = await self._plan(self.asked.at(rung(at), verify=False), f"{rung(at):.1%} of the mix by formula")
        return plan.verdict == "pass"

    async def _simulated(self, at: int) -> bool:
        if at not in self.seen:
            self.seen[at] = await self.desk.once(rung(at), CarriedTogether, lambda: self._carried(rung(at)))
        return bool(self.seen[at].fleets)

    async def _carried(self, share: float) -> CarriedTogether:
        plan = await self._plan(self.asked.at(share, verify=True), f"{share:.1%} of the mix")
        if plan.verdict != "pass":
            return CarriedTogether(share=share)
        pairs = zip(plan.planned, self.asked.rates, strict=True)
        return CarriedTogether(
            share=share,
            fleets=tuple((one.entry.name, carried(share * rate, one.plan)) for one, rate in pairs),
            gpus=tuple((kind.name, count) for kind, count in zip(plan.kinds, plan.joint.paid, strict=True) if count),
            cost=plan.joint.cost,
        )

    async def _plan(self, question: JointQuestion, where: str) -> JointPlan:
        return await planned_aside(self.desk, question, self.asked.trace_format, where)
