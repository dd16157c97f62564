"""The cap on each GPU's power with the least cost, of GPUs and of electricity, beside no cap.

A plan without a cap is made first. Then the formulas, corrected by what was simulated of it, say what every fleet costs
under caps; those that cost less are simulated, the cheapest first, until one keeps its limits, and a plan is made with
that cap. Both plans say what came of it.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from fleettui.domain.digest import digest
from fleettui.domain.new_plan import NewPlan
from fleettui.domain.plan import Answer
from fleettui.domain.power_law import EXTRAPOLATED_BELOW
from fleettui.domain.power_levels import CapChoice
from fleettui.domain.progress import Progress
from fleettui.domain.scenario import Question
from fleettui.domain.seen_fleets import by_replica
from fleettui.planning.capped_proof import CappedProof
from fleettui.planning.prepared_fleet import SceneSource
from fleettui.planning.worker_pool import WorkerPool
from fleettui.planning.worker_process import Report
from fleettui.reports import searched_cap_text

COARSE = tuple(percent / 100.0 for percent in range(95, round(100 * EXTRAPOLATED_BELOW) - 1, -5))
"""Shares of their limits at which GPUs are capped first, as deep as public runs show what a cap does."""
FINE = (0.01, 0.02, 0.03, 0.04)
"""How much below the cheapest of these caps further ones are tried."""
MOST_TRIES = 3
"""Caps that are simulated at most."""
ROUNDING = 1e-9

Last = Callable[[NewPlan, Answer], Awaitable[Answer]]
"""Takes a new plan and its answer, with all that was simulated as candidates; returns it with more said of it."""


class Make(Protocol):
    """Makes and keeps a plan."""

    def __call__(self, question: Question, *, parent: str, last: Last) -> Awaitable[Answer]:
        """Return its answer; `last` has the last word on it."""


async def plan_with_cap(
    question: Question, make: Make, *, workers: WorkerPool, report: Report | None, parent: str
) -> Answer:
    """Return the answer to a question that leaves the cap to the search: with the cheapest, or without any."""
    asked, found = replace(question, power_cap=None), list[CapChoice]()

    async def search(new: NewPlan, answer: Answer) -> Answer:
        limited = asked.max_power is not None or asked.max_feed is not None
        if answer.verdict != "pass" and not (limited and answer.answer is None):
            return answer
        trials = _Trials(question=asked, new=new, answer=answer, workers=workers, report=report)
        choices = await trials.choices()
        chosen, failed = await trials.cheapest_that_holds(choices)
        found.extend([] if chosen is None else [chosen])
        words = searched_cap_text.beside_caps(asked, answer.answer, chosen, choices, failed=failed)
        return _telling(answer, words)

    plain = await make(asked, parent=parent, last=search)
    if not found:
        return plain
    (chosen,) = found
    gpus = tuple(sorted({pool.gpu for pool in chosen.candidate.fleet.pools}))

    async def compare(_: NewPlan, answer: Answer) -> Answer:
        return _telling(answer, searched_cap_text.beside_none(asked, answer.answer, chosen.watts, plain))

    capped = await make(replace(asked, power_cap=chosen.watts, gpus=gpus), parent=plain.plan.id, last=compare)
    return capped if _bill(capped, asked) < _bill(plain, asked) else plain


def _telling(answer: Answer, words: str) -> Answer:
    return replace(answer, why=(*answer.why, words))


def _bill(answer: Answer, question: Question) -> float:
    """Return what an hour of an answer costs, GPUs and electricity, endless where it does not hold."""
    holds = answer.verdict == "pass" and answer.answer is not None
    return searched_cap_text.bill(answer.answer, question) if holds and answer.answer is not None else float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trials:
    """The fleets of a plan without a cap under caps."""

    question: Question
    new: NewPlan
    answer: Answer
    workers: WorkerPool
    report: Report | None

    @property
    def source(self) -> SceneSource:
        """The plan's scene, without caps."""
        key = f"caps {digest(self.new.scenario)}"
        return SceneSource.of(self.question, self.new.workload, self.answer.demand, key, self.new.profiles)

    async def choices(self) -> tuple[CapChoice, ...]:
        """Return the cheapest fleet under each cap by formula, the caps closer by each other below the cheapest."""
        coarse = await self._fleets(COARSE)
        if not coarse:
            return ()
        best = min(coarse, key=self.bill).share
        fine = await self._fleets(tuple(round(best - less, 4) for less in FINE))
        return (*coarse, *fine)

    async def _fleets(self, shares: tuple[float, ...]) -> tuple[CapChoice, ...]:
        seen = by_replica(self.answer.candidates, self.question, self.answer.demand.rate)
        return await self.workers.run(
            "power-caps",
            tuple[CapChoice, ...],
            self.report,
            source=self.source,
            anchors=tuple(seen.items()),
            shares=tuple(share for share in shares if share >= EXTRAPOLATED_BELOW),
        )

    def bill(self, choice: CapChoice) -> float:
        """Return what an hour of a fleet under a cap costs, GPUs and electricity."""
        return searched_cap_text.bill(choice.candidate, self.question)

    async def cheapest_that_holds(self, choices: Sequence[CapChoice]) -> tuple[CapChoice | None, list[float]]:
        """Return the cheapest cap that costs less than none and holds as simulated, and those that failed, in watts."""
        plain = self.answer.answer
        most = math.inf if plain is None else searched_cap_text.bill(plain, self.question)
        failed = list[float]()
        for one in sorted((one for one in choices if self.bill(one) < most * (1.0 - ROUNDING)), key=self.bill):
            if len(failed) == MOST_TRIES:
                break
            if not self.question.verify or await self._holds(one):
                return one, failed
            failed.append(one.watts)
        return None, failed

    async def _holds(self, choice: CapChoice) -> bool:
        proof = CappedProof(workers=self.workers, source=self.source, seed=self.question.seed, tell=self._tell)
        evidence, _ = await proof.evidence(choice.candidate.fleet, choice.share)
        return evidence is not None and evidence.verdict == "pass"

    def _tell(self, words: str, done: int, wanted: int) -> None:
        if self.report is not None:
            self.report(Progress(message=words, done=done, total=wanted))
