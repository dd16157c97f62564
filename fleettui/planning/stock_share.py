"""How much of their traffic the GPUs that several workloads share carry: the greatest share of all their rates.

Fleets are searched for by simulation at the rungs of one ladder of shares, as a joint plan for these rates searches.
The formulas say where to begin.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from fleettui.domain.carried import CarriedTogether
from fleettui.domain.joint import Entry, JointAsked, JointPlan, JointQuestion, stock
from fleettui.planning.joint_aside import planned_aside
from fleettui.planning.ladder import place, rung
from fleettui.planning.stock_rate import FARTHEST, carried, search
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


def part_held(plan: JointPlan) -> float | None:
    """Return what part of what fleets take the limits hold, of a plan that found none; None where that is not known.

    Of fleets that hold as simulated, if there are such for all. Stocks count by what they cost; of limits each of which
    would do the one that has to be raised least does.
    """
    found, most = plan.proven or plan.joint, dict(plan.question.limits.limits())
    prices = {stock(kind.name): kind.price for kind in plan.kinds}
    whole = sum(price * most.get(name, 0.0) for name, price in prices.items())

    def part(needed: Iterable[tuple[str, float]]) -> float:
        raised = [(name, enough) for name, enough in needed]
        stocks = sum(prices[name] * (enough - most[name]) for name, enough in raised if name in prices)
        others = [most[name] / enough for name, enough in raised if name not in prices]
        return min([whole / (whole + stocks) if stocks else 1.0, *others])

    alone = [part([(use.resource, use.would_do)]) for use in found.uses if use.would_do]
    together = [part(found.together)] if found.together else []
    return max([*alone, *together], default=None)


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
        proven = self.asked.question.verify
        await search(self._by_formula, self._simulated, 1.0, proven=proven, expected=self._expected)
        return [self.seen[at] for at in sorted(self.seen)]

    async def _by_formula(self, at: int) -> bool:
        plan = await self._plan(self.asked.at(rung(at), verify=False), f"{rung(at):.1%} of the mix by formula")
        return plan.verdict == "pass"

    async def _simulated(self, at: int) -> bool:
        if at not in self.seen:
            self.seen[at] = await self.desk.once(rung(at), CarriedTogether, lambda: self._carried(rung(at)))
        return bool(self.seen[at].fleets)

    def _expected(self, at: int) -> int | None:
        likely = self.seen[at].likely
        return None if likely is None else max(place(likely), at - FARTHEST)

    async def _carried(self, share: float) -> CarriedTogether:
        plan = await self._plan(self.asked.at(share, verify=True), f"{share:.1%} of the mix")
        if plan.verdict != "pass":
            held = part_held(plan)
            return CarriedTogether(share=share, likely=share * held if held else None)
        pairs = zip(plan.planned, self.asked.rates, strict=True)
        return CarriedTogether(
            share=share,
            fleets=tuple((one.entry.name, carried(share * rate, one.plan)) for one, rate in pairs),
            gpus=tuple((kind.name, count) for kind, count in zip(plan.kinds, plan.joint.paid, strict=True) if count),
            cost=plan.joint.cost,
        )

    async def _plan(self, question: JointQuestion, where: str) -> JointPlan:
        return await planned_aside(self.desk, question, self.asked.trace_format, where)
