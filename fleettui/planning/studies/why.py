"""Why a kept plan is what it is: the reason behind each of its numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fleettui.planning.studies.study_type import PLAN, Command, Prompt, StudyType

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext


MOST_SAID = 3
"""Sentences of a workload's reasons that those of a joint plan have room for."""


async def work(desk: StudyContext, plan: str) -> Study:
    """Return the reasons behind the kept plan that `plan` names, which a worker works out from what the store holds.

    Of a joint plan they are those of each workload's plan. Raises InputError for a plan of the papers' preset, whose
    formulas give no reasons, for one that another engine made, and for one that is still being proven.
    """
    from fleettui.planning.kept_joint import joint_of
    from fleettui.reports.studies.members import of_members

    joint = joint_of(desk.store, plan)
    if joint is None:
        return await _of_plan(desk, plan)
    found = {name: await _of_plan(desk, kept.id) for name, kept in joint.members.items()}
    return of_members(joint.study, found, asked=f"why {joint.handle}", title="why it is what it is", most=MOST_SAID)


async def _of_plan(desk: StudyContext, plan: str) -> Study:
    from fleettui.domain.plan import ENGINE_VERSION, was_searched
    from fleettui.domain.study import Study, StudyTable
    from fleettui.planning.run_job import another_engine

    kept = desk.kept(plan)
    kept.check_no_paper("has no reasons of its own: their prompts cost no time")
    if kept.answer.plan.engine_version != ENGINE_VERSION:
        raise another_engine(kept.answer.plan)
    kept.check_finished()
    sentences, tables, warnings = await desk.run(
        "why",
        tuple[tuple[str, ...], tuple[StudyTable, ...], tuple[str, ...]],
        question=kept.question,
        kept=kept.answer,
        workload=kept.workload,
        profiles=kept.profiles,
        looks=desk.known(kept.id),
        searched=was_searched(kept.answer, kept.question),
    )
    return Study.of(
        kept.answer.plan,
        kind="why",
        title=f"why plan {kept.handle} is what it is",
        question=f"why {kept.handle}",
        sentences=sentences,
        tables=tables,
        warnings=warnings,
    )


STUDY = StudyType(
    kind="why",
    work=work,
    command=Command(
        name="why",
        help="the reason behind each number of a kept plan",
        about="Print what limits each pool, what one replica changes, which prices flip the answer, or what would "
        "help.",
        after="show",
        arguments=(replace(PLAN, example="ID", help="a handle or its start, a name, last, last~1, a joint plan"),),
        of_shown=False,
        prompt=Prompt(
            label="why",
            help=lambda: "a plan's handle or its start, its name, last, last~1",
            read=lambda line: {"plan": line},
            value=None,
        ),
        workers=False,
    ),
)
