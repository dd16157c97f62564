"""Answer a kept question from what the store holds of it: its lengths, its hardware, and the fleet where one was given.

Nothing comes from the trace's file or from today's catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fleettui.domain.hardware import Profile
from fleettui.domain.plan import ENGINE_VERSION, Answer, Candidate
from fleettui.domain.scenario import Provenance, Scenario
from fleettui.domain.wire import from_plain, to_plain
from fleettui.errors import InputError
from fleettui.planning import walk
from fleettui.planning.make_plan import Opened
from fleettui.planning.pool import WorkerPool
from fleettui.planning.process import Report

if TYPE_CHECKING:
    from store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A finished plan with what it rests on; `given` where its fleet was written down, and not searched for."""

    answer: Answer
    scenario: Scenario
    profiles: tuple[Profile, ...]
    formula: Candidate | None
    given: bool

    @classmethod
    def of(cls, store: Store, ref: str) -> Kept:
        """Return the plan that `ref` names; raises InputError when there is none, or it is not finished."""
        answer, scenario = store.plan(ref), store.scenario(ref)
        if not store.is_finished(answer.plan.id):
            raise InputError(
                "it is not finished, so its answer may still change",
                where=f"plan {answer.plan.handle}",
                remedy="fleettui jobs resume last goes on with it",
            )
        job = store.first_job(answer.plan.id)
        walked = job is not None and job.kind != "verify"
        first = [one for one in answer.candidates if job is None or not walked or one.candidate < job.id]
        return cls(
            answer=answer,
            scenario=scenario,
            profiles=tuple(store.profile(key) for key in scenario.profiles),
            formula=_by_formula(answer, scenario, first) if walked else answer.answer,
            given=job is not None and job.kind == "simulate",
        )


def _by_formula(answer: Answer, scenario: Scenario, first: list[Candidate]) -> Candidate | None:
    """Return the fleet that the formulas chose before a simulation moved it, of the candidates that came `first`."""
    holding = [one for one in first if not one.shortfalls]
    ranked = walk.best_first(holding or first, scenario.question.objective)
    return ranked[0] if ranked else answer.answer


async def formula_again(store: Store, kept: Kept, workers: WorkerPool, report: Report | None = None) -> Opened:
    """Return what the formulas of today say to a kept plan's inputs, ready to be kept itself."""
    assert not kept.given or kept.formula is not None, "a fleet that was given is there"
    workload = store.workload(kept.scenario.workload)
    payload = {
        "question": to_plain(kept.scenario.question),
        "workload": to_plain(workload),
        "profiles": to_plain(kept.profiles),
        "fleet": to_plain(kept.formula.fleet) if kept.given and kept.formula is not None else None,
    }
    found = await workers.run("plan-kept", payload, report)
    answer = from_plain(Answer, found["answer"])
    return Opened(
        answer=answer,
        scenario=replace(kept.scenario, engine_version=ENGINE_VERSION, rate=answer.demand.rate),
        provenance=from_plain(Provenance, found["provenance"]),
        workload=workload,
        profiles=kept.profiles,
    )
