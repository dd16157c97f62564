"""The schedulers beside each other on a kept plan's fleet, all over the same requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.studies.argument import PLAN, Argument
from fleettui.planning.studies.study_type import Command, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext


ONLY = Argument(name="only", reads="schedulers", example="mlfq,h2q-br", help="the plan's and these (default all)")


async def work(desk: StudyContext, plan: str, only: tuple[str, ...] = ()) -> Study:
    """Return what each scheduler does on the fleet of `plan`: all that can serve it, or the plan's own and `only`.

    Raises InputError for a plan of the papers' preset, one that is not finished, one that found no fleet, and a
    scheduler that is named and cannot serve it.
    """
    from fleettui.planning.scheduler_trials import SchedulerTrials
    from fleettui.reports.studies.scheduler import scheduler_study

    kept = desk.kept(plan)
    best = kept.finished_fleet("to schedule requests on", paper="has no batches whose order could be another")
    trials = SchedulerTrials(desk=desk, kept=kept, best=best)
    names = await trials.that_apply(only)
    if len(names) == 1:
        raise InputError(
            f"the plan's own scheduler is {names[0]}, and no other is asked for",
            where="--only",
            value=names[0],
            accepted="names of others, with commas",
        )
    return scheduler_study(kept.answer, best, await trials.played(names))


STUDY = StudyType(
    kind="scheduler",
    work=work,
    title="what another scheduler changes",
    picture=Picture(table=0, between="after"),
    command=Command(
        help="the schedulers beside each other on a plan's fleet",
        about="Simulate a kept plan's fleet under every scheduler, with the same requests, and compare them.",
        view="routing",
        after="routers",
        arguments=(PLAN, ONLY),
    ),
)
