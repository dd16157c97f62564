"""Why a kept plan is what it is: the reason behind each of its numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fleettui.planning.studies.argument import PLAN
from fleettui.planning.studies.study_type import Command, Prompt, StudyType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fleettui.domain.fleet import Fleet
    from fleettui.domain.plan import Look
    from fleettui.domain.study import Study
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext


MOST_LOOKS, MOST_MORE = 3, 4
"""Fleets that a price makes cheaper, or may, and that are simulated at most, and such that come out by these."""
MOST_SIZES = 2
"""Other sizes of such a fleet that are simulated at most: what it takes less, or more, than the formulas say."""
MOST_OTHERS = 20
"""Other plans of the same question at most whose fleets count as simulated."""
MOST_SAID = 3
"""Sentences of a workload's reasons that those of a joint plan have room for."""
BESIDE_OTHERS = "limits that workloads share are what the others' fleets leave of them"
"""What is said of the reasons of a joint plan's workload."""


async def work(desk: StudyContext, plan: str) -> Study:
    """Return the reasons behind the kept plan that `plan` names, which a worker works out from what the store holds.

    Of a joint plan they are those of each workload's plan, and what would do where it found no fleets. Raises
    InputError for a plan of the papers' preset, whose formulas give no reasons, for one that another engine made, and
    for one that is still being proven.
    """
    from fleettui.planning.kept_joint import joint_of
    from fleettui.reports.studies.members import of_members

    joint = joint_of(desk.store, plan)
    if joint is None:
        return await _of_plan(desk, plan)
    found = {name: await _of_plan(desk.apart(), kept.id) for name, kept in joint.members.items()}
    asked = f"why {joint.handle}"
    return of_members(joint.study, found, kind="why", asked=asked, title="why it is what it is", most=MOST_SAID)


async def _of_plan(desk: StudyContext, plan: str) -> Study:
    from fleettui.domain.plan import ENGINE_VERSION
    from fleettui.domain.reasons import Reasons
    from fleettui.domain.study import Study
    from fleettui.planning.run_job import another_engine

    kept = desk.kept(plan)
    kept.check_no_paper("has no reasons of its own: their prompts cost no time")
    if kept.answer.plan.engine_version != ENGINE_VERSION:
        raise another_engine(kept.answer.plan)
    kept.check_finished()
    decided = await desk.run("why-deciding", Reasons, **_known(desk, kept))
    next_ = decided.to_prove[:MOST_LOOKS]
    for _ in range(1 + MOST_MORE):
        if not await _prove(desk, kept, next_):
            break
        decided = await desk.run("why-deciding", Reasons, **_known(desk, kept))
        next_ = decided.decides
    known = _known(desk, kept)
    found = await desk.run("why", Reasons, decided=decided, **known)
    beside = (BESIDE_OTHERS,) if known["question"] != kept.question else ()
    return Study.of(
        kept.answer.plan,
        kind="why",
        title=f"why plan {kept.handle} is what it is",
        question=f"why {kept.handle}",
        sentences=found.sentences,
        tables=found.tables,
        warnings=(*beside, *found.warnings),
    )


def _known(desk: StudyContext, kept: KeptPlan) -> dict[str, Any]:
    """Return what a plan's reasons are worked out from, and what was simulated by now."""
    from fleettui.domain.plan import was_searched
    from fleettui.planning.joint_left import asked_beside_others

    searched = was_searched(kept.answer, kept.question)
    return {
        "question": asked_beside_others(desk.store, kept.handle, kept.question),
        "kept": kept.answer,
        "workload": kept.workload,
        "profiles": kept.profiles,
        "looks": (*desk.known(kept.id), *(() if searched else _of_others(desk, kept))),
        "searched": searched,
    }


def _of_others(desk: StudyContext, kept: KeptPlan) -> Iterator[Look]:
    """Yield what was simulated of the MOST_OTHERS newest other fleets that were given under the question of a plan."""
    from fleettui.domain.plan import ENGINE_VERSION, Look

    for other in [one for one in desk.store.plans_of(kept.scenario) if one != kept.id][:MOST_OTHERS]:
        answer = desk.store.plan(other, most=1)
        best = answer.answer
        if best is not None and best.simulation is not None and answer.plan.engine_version == ENGINE_VERSION:
            yield Look(rate=answer.demand.rate, candidate=best)


async def _prove(desk: StudyContext, kept: KeptPlan, fleets: Sequence[Fleet]) -> bool:
    """Simulate the fleets of a plan's reasons, and sizes near them, for a few runs; return whether that showed more.

    A plan that is by formula alone keeps to that.
    """
    from fleettui.planning.fleet_limits import can_be_told
    from fleettui.planning.single_look import looked_around

    question, before = kept.question, len(desk.looks)
    by_formula = kept.answer.simulation is None and kept.answer.answer is not None
    if by_formula or not question.verify or not can_be_told(question):
        return False
    source = kept.source(f"why {kept.id}", kept.profiles)
    for fleet in fleets:
        desk.looks += await looked_around(desk, source, fleet, kept.answer.plan.seed, MOST_SIZES)
    return len(desk.looks) > before


STUDY = StudyType(
    kind="why",
    work=work,
    command=Command(
        help="the reason behind each number of a kept plan",
        about="Print what limits each pool, what one replica changes, which prices flip the answer, or what would "
        "help.",
        after="show",
        arguments=(replace(PLAN, example="ID", help="a handle or its start, a name, last, last~1, a joint plan"),),
        of_shown=False,
        prompt=Prompt(
            help=lambda: "a plan's handle or its start, its name, last, last~1",
            value=None,
        ),
        workers=False,
    ),
)
