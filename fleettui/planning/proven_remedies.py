"""Limits that would do where no fleet keeps them, corrected by what the fleets at them are simulated to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fleettui.domain.anchor import NOTHING_SEEN
from fleettui.domain.plan import Answer, Candidate, Look
from fleettui.domain.progress import Progress
from fleettui.domain.remedy import (
    BY_FORMULA,
    LIMITED,
    MEASURED,
    SEVERAL_AT_ONCE,
    SIMULATED,
    breaks_several,
    broken_alone,
    is_simulated,
    loosened,
    remedy,
    tighter,
    used_of,
    without_constraints,
)
from fleettui.domain.scenario import Question
from fleettui.planning.anchors import simulated_of
from fleettui.planning.fleet_limits import FleetLimits, can_be_told
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.plan_apart import planned_apart
from fleettui.planning.prepared_fleet import SceneSource, prepared
from fleettui.planning.prove import Simulator
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report
from fleettui.planning.worth import worth_of

PURPOSE = "looser limit"
"""What is simulated, before each step of it."""
MOST_STEPS = 4
"""Limits at most that are tried below one that does, each below what the last found fleet has."""
NOTHING_DOES = "no limit was seen that would do alone, as simulated"
"""What is said where simulations showed of every remedy by formula that it does not do."""


@dataclass(slots=True, kw_only=True)
class Remedies:
    """Workers that try what would help a plan that found no fleet, `kept`; `report` is told of progress.

    `least` is the best fleet that was seen to hold past all its constraints. `looks` are what was simulated so far.
    """

    kept: KeptPlan
    workers: WorkerPool
    report: Report | None
    least: Candidate | None = None
    looks: list[Look] = field(default_factory=list)

    @property
    def question(self) -> Question:
        """What no fleet answers."""
        return self.kept.question

    async def told(self, reason: str, nearest: Candidate) -> str:
        """Return the remedy of one constraint as simulated, where its `nearest` fleet could be, else the `reason`.

        It is empty where simulations showed that the reason does not hold.
        """
        broken = broken_alone(nearest, self.question)
        if SEVERAL_AT_ONCE in reason:
            return await self._several(reason, nearest)
        if broken is None or not reason.endswith(BY_FORMULA):
            return reason
        name, before = broken[0], len(self.looks)
        found = await self._found(name, nearest)
        if found is None:
            return reason if len(self.looks) == before else ""
        return self._words(name, found)

    async def _several(self, reason: str, nearest: Candidate) -> str:
        """Return what a fleet breaks that breaks several limits by formula, at the size that it is simulated to take.

        It is empty where no size of it was seen to hold, and the `reason` where none could be looked at.
        """
        limits = self._limits(nearest)
        await limits.smallest()
        self.looks += limits.looks
        if not limits.looks:
            return reason
        shown = min((one for one in limits.looks if one.holds), key=lambda one: one.candidate.gpus, default=None)
        if shown is None:
            return ""
        broken = broken_alone(shown.candidate, self.question)
        if broken is not None:
            return self._words(broken[0], shown.candidate)
        source = self.kept.source(f"{self.kept.id} remedies", self.kept.profiles)
        stage = await prepared(self.workers, source, nearest.fleet, shown.sizes)
        limited = [one for one in stage.candidate.shortfalls if one.startswith(LIMITED)]
        return breaks_several(shown.candidate, limited, SIMULATED) if limited else ""

    async def least_of(self, reason: str, nearest: Candidate) -> str:
        """Return the remedy that a search told of its `nearest` fleet, of the fleet that takes least; else `reason`."""
        broken = broken_alone(nearest, self.question)
        if broken is None or not is_simulated(reason):
            return reason
        return self._words(broken[0], await self._least(broken[0], nearest) or nearest)

    def alone(self, nearest: Sequence[Candidate]) -> tuple[str, ...]:
        """Return the remedy of the best fleet past all constraints where it breaks one, that none of the `nearest` do.

        By formula it may break several.
        """
        broken = None if self.least is None else broken_alone(self.least, self.question)
        named = {one[0] for one in (broken_alone(fleet, self.question) for fleet in nearest) if one is not None}
        if self.least is None or broken is None or broken[0] in named:
            return ()
        return (self._words(broken[0], self.least),)

    def _words(self, name: str, found: Candidate) -> str:
        return remedy(name, used_of(name, found, self.question), found, SIMULATED)

    async def _found(self, name: str, nearest: Candidate) -> Candidate | None:
        """Return the fleet that takes least of one constraint, None where that would take long to tell."""
        if self.least is not None and self._is_all(name, self.least):
            return self.least
        before = len(self.looks)
        found = await self._smallest(name, nearest)
        return None if len(self.looks) == before else await self._least(name, found)

    def _is_all(self, name: str, least: Candidate) -> bool:
        """Return whether the best fleet past all constraints is the best of those that may break this one alone."""
        looser, broken = loosened(name, self.question), broken_alone(least, self.question)
        free = replace(without_constraints(self.question), objective=looser.objective)
        alone = broken is not None and broken[0] == name
        return looser.objective == self.question.objective and (alone or looser == free)

    async def _least(self, name: str, seen: Candidate | None) -> Candidate | None:
        """Return the fleet with least of what a constraint limits: with a limit below what is told of it none is found.

        The search begins below what a fleet that was `seen` to hold has. Of stock the least is what is best by the
        question's objective: of other GPUs a fleet may have fewer.
        """
        question, looser = self.question, loosened(name, self.question)
        if name not in MEASURED:
            worth, planned = worth_of(looser.objective, looser.host_power), await self._planned(looser)
            return min((one for one in (planned, seen) if one is not None), key=worth, default=None)
        least, less, steps = None, seen or await self._planned(looser), 0
        while less is not None and steps <= MOST_STEPS:
            least, steps = less, steps + 1
            less = await self._planned(tighter(name, used_of(name, least, question), question))
        return less or least

    async def _smallest(self, name: str, nearest: Candidate) -> Candidate | None:
        """Return the smallest fleet of a make that was seen to hold, if one constraint alone keeps it from being it."""
        limits = self._limits(nearest)
        found, _ = await limits.smallest()
        self.looks += limits.looks
        if found is None:
            return None
        sizes = tuple(pool.replicas for pool in found.fleet.pools)
        now = broken_alone(found, self.question)
        is_it = now is not None and now[0] == name
        return found if is_it and any(one.holds and one.sizes == sizes for one in limits.looks) else None

    async def _planned(self, asked: Question) -> Candidate | None:
        """Return the fleet that a plan of another question comes to, simulated in a store of its own; None if none."""
        plan = await planned_apart(self.kept, asked, self.workers, self._told)
        if plan is None:
            return None
        self.looks += [Look(rate=plan.demand.rate, candidate=one) for one in simulated_of(plan)]
        return plan.answer if plan.verdict == "pass" else None

    def _told(self, step: Progress) -> None:
        if self.report is not None:
            self.report(replace(step, message=f"{PURPOSE}: {step.message}"))

    def _limits(self, nearest: Candidate) -> FleetLimits:
        asked, kept = without_constraints(self.question), self.kept
        key = f"{kept.scenario.workload} {asked} remedies"
        return FleetLimits(
            workers=self.workers,
            source=SceneSource.of(asked, kept.workload, kept.answer.demand, key, kept.profiles),
            fleet=nearest,
            seed=asked.seed,
            precision=asked.precision,
            known=(NOTHING_SEEN,) * len(nearest.pools),
            purpose=PURPOSE,
            tell=self._tell,
        )

    def kept_with(self, answer: Answer, why: Sequence[str]) -> Answer:
        """Return an answer with these reasons, and with what was simulated for them."""
        return replace(answer, why=tuple(why), looks=tuple(dict.fromkeys((*answer.looks, *self.looks))))

    def _tell(self, words: str, done: int, wanted: int) -> None:
        if self.report is not None:
            self.report(Progress(message=words, done=done, total=wanted))


async def with_proven_remedies(kept: KeptPlan, prover: Simulator, least: Candidate | None = None) -> Answer:
    """Return the answer of a plan that found no fleet, with its remedies as simulated where they can be.

    The make of fleet that is nearest by formula is simulated at the fewest replicas that hold every latency, and the
    fleet that takes least of all is searched for, unless `least`, which was seen to hold past all constraints, is that
    one. Where the first would take long the remedy stays the formulas'; so it does where whole nodes are paid for, and
    in a closed loop. What breaks several limits is told where no limit alone would do. What was simulated is kept with
    the plan.
    """
    answer = kept.answer
    if not _can_be_proven(kept.question):
        return answer
    tried = Remedies(kept=kept, workers=prover.workers, report=prover.report, least=least)
    pairs = [*zip(answer.why, answer.candidates, strict=False)]
    several = [pair for pair in pairs if SEVERAL_AT_ONCE in pair[0]]
    told = [await tried.told(*pair) for pair in pairs if pair not in several]
    found = [*tried.alone(answer.candidates[: len(pairs)]), *told]
    if not any(map(is_simulated, found)):
        found += [await tried.told(*pair) for pair in several]
    left = [*dict.fromkeys(filter(None, found)), *answer.why[len(pairs) :]]
    why = sorted(left, key=lambda reason: not is_simulated(reason))
    return tried.kept_with(answer, why or [NOTHING_DOES])


async def with_least_remedy(
    kept: KeptPlan, prover: Simulator, answer: Answer, least: Candidate | None = None
) -> Answer:
    """Return the answer of a plan whose fleets within its limits do not hold, with what limit would do at least.

    The best fleet past all constraints, `least`, is told where it breaks another one alone.
    """
    nearest = answer.answer
    if nearest is None or not _can_be_proven(kept.question):
        return answer
    tried = Remedies(kept=kept, workers=prover.workers, report=prover.report, least=least)
    first, *others = [await tried.least_of(reason, nearest) for reason in answer.why]
    return tried.kept_with(answer, [first, *tried.alone([nearest]), *others])


def _can_be_proven(question: Question) -> bool:
    """Return whether what a limit would do can be told by simulations of few runs."""
    return question.confidence is None and not question.whole_nodes and can_be_told(question)
