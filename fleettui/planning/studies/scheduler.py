"""The schedulers beside each other on a kept plan's fleet, all over the same requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.studies.study_type import PLAN, Argument, Command, Given, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext


def read(given: Given) -> dict[str, Any]:
    """Return the plan, and the schedulers where some are named; raises InputError for one that there is none of."""
    from fleettui.scheduling import SCHEDULERS

    if "only" not in given:
        return dict(given)
    named = [SCHEDULERS.named(name.strip(), "--only").name for name in given["only"].split(",")]
    return {**given, "only": tuple(name for name in SCHEDULERS.names if name in named)}


async def work(desk: StudyContext, plan: str, only: tuple[str, ...] = ()) -> Study:
    """Return what each scheduler does on the fleet of `plan`: all that can serve it, or the plan's own and `only`.

    Raises InputError for a plan of the papers' preset, one that is not finished, one that found no fleet, and a
    scheduler that is named and cannot serve it.
    """
    from fleettui.planning.scheduler_trials import SchedulerTrials
    from fleettui.reports.studies.scheduler import scheduler_study

    kept = desk.kept(plan)
    kept.check_no_paper("has no batches whose order could be another")
    kept.check_finished()
    best = kept.fleet_for("to schedule requests on")
    trials = SchedulerTrials(desk=desk, kept=kept, best=best)
    names = await trials.that_apply(only)
    if len(names) == 1:
        raise InputError(
            f"the plan's own scheduler is {names[0]}, and no other is asked for",
            where="--only",
            value=names[0],
            accepted="names of others, with commas",
        )
    return scheduler_study(kept.answer, best, await trials.played(names), only=only)


STUDY = StudyType(
    kind="scheduler",
    work=work,
    read=read,
    picture=Picture(table=0, between="after"),
    command=Command(
        name="scheduler",
        help="the schedulers beside each other on a plan's fleet",
        about="Simulate a kept plan's fleet under every scheduler, with the same requests, and compare them.",
        view="routing",
        after="routers",
        arguments=(PLAN, Argument(name="only", example="mlfq,h2q-br", help="the plan's and these (default all)")),
    ),
)
