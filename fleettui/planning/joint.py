"""Plan several workloads over one stock: each one's fleets, the best combination, and its proof.

First each workload is planned by itself, inside what the ones before it have left: no joint plan is dearer than that,
and where all fit as they would be alone nothing is better. Else, where the formulas promise a better combination, every
fleet of it is proven as any plan is. Where the simulations moved a fleet, it is chosen again with what they showed,
until all that is chosen is proven and nothing else looks better. Where nothing that is proven keeps the limits, or the
formulas promise better still, each is planned again inside what the others leave. Of fleets that cost as much the
surest is the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fleettui.domain.fleet import counted
from fleettui.domain.job import Job, JobKind
from fleettui.domain.joint import (
    Entry,
    Joint,
    JointObjective,
    JointPlan,
    JointQuestion,
    Kind,
    Offered,
    Option,
    Planned,
    kinds_of,
)
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer, Verdict
from fleettui.domain.progress import Progress
from fleettui.errors import InputError
from fleettui.planning.joint_apart import AT_ONCE, OneByOne, PlanKey
from fleettui.planning.joint_candidates import Menu
from fleettui.planning.joint_choices import CLOSE, Choices, is_near
from fleettui.planning.joint_equals import SurestOfEquals
from fleettui.planning.joint_fitting import fitting
from fleettui.planning.joint_turns import InTurns
from fleettui.planning.make_plan import begin, keep
from fleettui.planning.run_job import work_on
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.worker_pool import together
from fleettui.planning.worker_process import Report

MOST_ROUNDS = 8
"""Times that a combination is chosen and proven at most."""
MOST_BETTER = 1
"""Of these rounds, those that go to doing better than a combination that is proven already: each costs minutes."""
AIMS: dict[JointObjective, str] = {"cost": "cost", "gpus": "GPUs", "power": "power"}


@dataclass(slots=True, kw_only=True)
class JointSearch:
    """A joint question at work: a menu of fleets per entry, and what is known of each.

    `rounds` are the combinations that were tried. `known` are the plans of single entries, as in `OneByOne`.
    """

    question: JointQuestion
    desk: StudyContext
    trace_format: str | None
    kinds: tuple[Kind, ...] = ()
    menus: list[Menu] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    probes: list[Answer] = field(default_factory=list)
    rounds: int = 0
    known: dict[PlanKey, Answer | None] = field(default_factory=dict)
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def open(self) -> None:
        """Work out what every entry may choose from; all entries at once, as far as there are workers."""
        found = await together(map(self._options, self.question.entries))
        self.kinds = kinds_of(found)
        pairs = zip(self.question.entries, found, strict=True)
        self.menus = [Menu.of(entry, one, self.kinds) for entry, one in pairs]

    async def plan(self) -> JointPlan:
        """Choose, prove and keep."""
        if any(not menu.options for menu in self.menus):
            return self._without_fleets()
        joint = await self._choose(self.menus)
        if joint.chosen is None and not (self.question.verify and is_near(joint)):
            return await self._infeasible(joint)
        if not self.question.verify:
            return self._result("pass", joint, [await self._keep(*pair) for pair in self._pairs(joint)])
        first = [self._named(menu.options[option]) for menu, option in self._pairs(joint)] if joint.chosen else []
        try:
            plan = await self._proven(joint)
        except BaseException:
            self._put_away([])
            raise
        if not first:
            return plan
        planned = (replace(one, formula=own) for one, own in zip(plan.planned, first, strict=True))
        return replace(plan, planned=tuple(planned))

    async def _infeasible(self, joint: Joint) -> JointPlan:
        """Return the plan where the formulas have no combination, with what each entry needs by itself."""
        return await self._each_alone(self._result("infeasible", joint, [None] * len(self.menus)))

    async def _each_alone(self, plan: JointPlan) -> JointPlan:
        """Return a plan that no combination answers with what each entry needs when it has all limits to itself."""
        planned = []
        for menu, one in zip(self.menus, plan.planned, strict=True):
            own = await self._known([menu])
            if own.chosen is None:
                needs = tuple((use.resource, use.would_do) for use in own.uses if use.would_do is not None)
                planned.append(replace(one, needs=needs or own.together, needs_all=not needs, simulated=own.simulated))
            else:
                paid = zip(self.kinds, own.paid, strict=True)
                alone = tuple((kind.name, count) for kind, count in paid if count)
                planned.append(replace(one, alone=alone, alone_cost=own.cost, simulated=own.simulated))
        together = await fitting(self.menus, planned, self.kinds, self._known)
        return replace(plan, planned=tuple(planned), fitting=together)

    async def _known(self, menus: Sequence[Menu]) -> Joint:
        """Return the best combination of fleets that hold as simulated, by formula where a menu has none of these."""
        proven = await self._choose(menus, proven_only=True)
        return proven if proven.chosen is not None or proven.uses else await self._choose(menus)

    async def _proven(self, first: Joint) -> JointPlan:
        """Prove a choice, choose again with what was learned, until nothing that is left to try looks much better."""
        if await self._one_by_one():
            return self._finished(await self._choose(self.menus, proven_only=True), first)
        last = await self._in_rounds(first)
        await self._in_turns()
        if last.chosen is None and (await self._choose(self.menus, proven_only=True)).chosen is None:
            last = await self._in_rounds(last)  # with what was found in turns, formulas may promise a first one
        joint, best = await self._choose(self.menus), await self._choose(self.menus, proven_only=True)
        if best.chosen is not None:
            equals = SurestOfEquals(apart=self._apart(), menus=self.menus, choices=self._choices)
            best = await equals.instead(best)
            self._tell_gap(best, joint)
            return self._finished(best, last)
        if last.chosen is None:
            self.notes.append("no combination holds as simulated either, each planned inside what the others leave")
            self._put_away([])
            return replace(await self._infeasible(joint), proven=best if best.uses else None)
        if joint.chosen is None:
            return replace(self._finished(joint, last), proven=best)
        self.notes.append(f"{counted(self.rounds, 'combination')} tried, none holds; there are others, not tried")
        return replace(self._finished(best, last, others=True), proven=best)

    async def _in_rounds(self, last: Joint) -> Joint:
        """Prove the combinations that look best, one after the other; return the last."""
        better = 0
        for _ in range(MOST_ROUNDS):
            joint, best = await self._choose(self.menus), await self._choose(self.menus, proven_only=True)
            if joint.chosen is None or self._is_close(best, joint) or better >= MOST_BETTER:
                break
            better += best.chosen is not None
            new = [(menu, option) for menu, option in self._pairs(joint) if option not in menu.plans]
            await together(self._try(menu, option, doubt=best.chosen is not None) for menu, option in new)
            last = joint
            self.rounds += 1
        return last

    def _is_close(self, best: Joint, joint: Joint) -> bool:
        """Return whether what is proven is as good as what the formulas promise, or next to it."""
        return best.chosen is not None and self._choices.amount(best) <= self._choices.amount(joint) * (1 + CLOSE)

    async def _one_by_one(self) -> bool:
        """Offer each entry its plan by itself, inside what is left; return whether all have their own best at once."""
        return await self._apart().offer(self.menus)

    async def _in_turns(self) -> None:
        """Offer each entry its plan inside what the others leave."""
        await InTurns(apart=self._apart(), menus=self.menus, choices=self._choices).offer()

    def _apart(self) -> OneByOne:
        return OneByOne(
            desk=self.desk,
            question=self.question,
            kinds=self.kinds,
            told=self._told,
            trace_format=self.trace_format,
            known=self.known,
        )

    async def _try(self, menu: Menu, option: int, *, doubt: bool) -> None:
        """Prove a fleet and take in what it came to; a few are under way at once, so that no worker waits.

        Of a fleet in `doubt`, which is only tried to do better than what is proven, the formula's sizes are simulated
        first: one that fails is out, as in the search of a single plan. Those of a wished confidence are others.
        """
        doubt = doubt and menu.entry.question.confidence is None
        async with self.turns:
            looked = await self._prove(menu, option, kind="simulate") if doubt else None
            if looked is None or looked.verdict == "pass":
                found = await self._prove(menu, option, known=looked)
                self.probes += filter(None, [looked])
            else:
                found = looked
            menu.learn(option, found, self.kinds)

    def _tell_gap(self, best: Joint, joint: Joint) -> None:
        """Say what the formulas still promise, where that is better than what is proven."""
        if best.chosen is None or self._choices.amount(best) <= self._choices.amount(joint) * (1 + 1e-9):
            return
        gap = 1 - self._choices.amount(joint) / self._choices.amount(best)
        self.notes.append(
            f"another combination has {gap:.1%} less {AIMS[self.question.objective]} by formula; it was not simulated"
        )

    def _finished(self, joint: Joint, last: Joint, *, others: bool = False) -> JointPlan:
        """Return the plan of a choice among proven fleets; where there is none, that of the last one.

        That one fails, unless its fleets are only unproven or there are `others` to try.
        """
        if joint.chosen is not None:
            plans = [menu.plans[option] for menu, option in self._pairs(joint)]
            self._put_away(plans)
            return self._apart().beside_own(self._result("pass", joint, plans))
        nearest = [menu.plans.get(option) for menu, option in self._pairs(last)]
        verdicts = {plan.verdict for plan in nearest if plan is not None}
        self._put_away(nearest)
        unproven = others or ("unproven" in verdicts and verdicts <= {"pass", "unproven"})
        return self._result("unproven" if unproven else "fail", joint, nearest)

    def _pairs(self, joint: Joint) -> list[tuple[Menu, int]]:
        assert joint.chosen is not None, "an empty choice has no fleets"
        return list(zip(self.menus, joint.chosen, strict=True))

    def _result(self, verdict: Verdict, joint: Joint, plans: Sequence[Answer | None]) -> JointPlan:
        held = {one.entry: one for one in joint.held_back}
        planned = []
        for place, (menu, plan) in enumerate(zip(self.menus, plans, strict=True)):
            one = Planned(entry=menu.entry, plan=plan, rate=menu.rate)
            if place in held:
                alone = menu.options[held[place].option]
                one = replace(one, alone=self._named(alone), needs=held[place].needs)
            planned.append(one)
        return JointPlan(
            question=self.question,
            verdict=verdict,
            kinds=self.kinds,
            joint=joint,
            planned=tuple(planned),
            notes=tuple(self.notes),
        )

    def _named(self, option: Option) -> tuple[tuple[str, int], ...]:
        return tuple((kind.name, count) for kind, count in zip(self.kinds, option.gpus, strict=True) if count)

    def _without_fleets(self) -> JointPlan:
        """Keep the answers of the entries that no fleet holds, whatever the limits, and say so."""
        plans: list[Answer | None] = []
        for menu in self.menus:
            if menu.infeasible is None:
                plans.append(None)
                continue
            plan = keep(self.desk.store, menu.infeasible)
            plans.append(plan)
            self.notes.append(f"{menu.entry.name}: {plan.why[0]}" if plan.why else f"{menu.entry.name}: no fleet holds")
        return self._result("infeasible", Joint(chosen=None), plans)

    async def _options(self, entry: Entry) -> Offered:
        try:
            return await self.desk.run(
                "joint-options",
                Offered,
                self._told(entry.name),
                question=entry.question,
                format=self.trace_format,
                by_power=self.question.by_power,
                stocks=[name for name, _ in self.question.limits.max_gpus],
            )
        except InputError as error:
            raise error.at(": ".join(filter(None, (f"workload {entry.name}", error.where)))) from None

    @property
    def _choices(self) -> Choices:
        return Choices(desk=self.desk, question=self.question, kinds=self.kinds)

    async def _choose(self, menus: Sequence[Menu], *, proven_only: bool = False) -> Joint:
        return await self._choices.best(menus, proven_only=proven_only)

    async def _opened(self, menu: Menu, option: int) -> NewPlan:
        return await self.desk.run(
            "joint-opened",
            NewPlan,
            question=menu.entry.question,
            format=self.trace_format,
            by_power=self.question.by_power,
            option=option,
        )

    async def _keep(self, menu: Menu, option: int) -> Answer:
        return keep(self.desk.store, await self._opened(menu, option))

    async def _prove(self, menu: Menu, option: int, kind: JobKind = "plan", known: Answer | None = None) -> Answer:
        """Store the plan of one fleet of an entry and prove it: its sizes moved until it holds, or of kind "simulate"
        as it is. What was run for `known`, the same fleet's plan, is not run again.
        """
        opened = await self._opened(menu, option)
        if opened.answer.verdict == "infeasible":
            return keep(self.desk.store, opened)
        job = begin(self.desk.store, opened, kind=kind, advise=False)
        if known is not None:
            self._hand_on(known, job)
        report = self._told(menu.entry.name)
        return await work_on(self.desk.store, job, report=report, pool=self.desk.workers, prices=True)

    def _hand_on(self, known: Answer, job: Job) -> None:
        """Give the one candidate of a job's plan the replications of the same fleet in another plan."""
        assert known.answer is not None, "a fleet that was simulated is its plan's answer"
        (own,) = self.desk.store.plan(job.plan).candidates
        for run in self.desk.store.replications(known.answer.candidate, job.seed, histograms=True):
            self.desk.store.add_replication(own.candidate, job.seed, run)

    def _put_away(self, chosen: Sequence[Answer | None]) -> None:
        """Leave the entries' names to the plans that were chosen; the others are archived."""
        kept = {plan.plan.id for plan in chosen if plan is not None}
        tried = [plan for menu in self.menus for plan in menu.plans.values()]
        passed_over = [plan for plan in (*tried, *self.probes) if plan.plan.id not in kept]
        for plan in passed_over:
            self.desk.store.set_name(plan.plan.id, "")
            self.desk.store.set_note(plan.plan.id, f"tried for {plan.plan.name} and passed over")
            self.desk.store.archive(plan.plan.id)
        if passed_over:
            self.notes.append(f"{len(passed_over)} further plans were made on the way; they are archived")

    def _told(self, name: str) -> Report | None:
        """Return a report that says which workload its steps are about."""
        report = self.desk.report
        if report is None:
            return None
        return lambda step: report(Progress(message=f"{name}: {step.message}", done=step.done, total=step.total))
