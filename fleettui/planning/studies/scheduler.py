"""The schedulers beside each other on a kept plan's fleet, all over the same requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.studies.plan_page import Argument, PlanPage, of_plan
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.study import Study


ONLY = Argument(name="only", reads="schedulers", example="mlfq,h2q-br", help="the plan's and these (default all)")


async def tell(page: PlanPage, only: tuple[str, ...] = ()) -> Study:
    """Return what each scheduler does on the plan's fleet: all that can serve it, or the plan's own and `only`.

    Raises InputError for a scheduler that is named and cannot serve it.
    """
    from fleettui.planning.scheduler_trials import SchedulerTrials
    from fleettui.reports.studies.scheduler import scheduler_study

    trials = SchedulerTrials(desk=page.desk, kept=page.kept, best=page.best)
    names = await trials.that_apply(only)
    if len(names) == 1:
        raise InputError(
            f"the plan's own scheduler is {names[0]}, and no other is asked for",
            where="--only",
            value=names[0],
            accepted="names of others, with commas",
        )
    return scheduler_study(page.kept.answer, page.best, await trials.played(names))


STUDY = of_plan(
    tell,
    fleet="to schedule requests on",
    paper="has no batches whose order could be another",
    title="what another scheduler changes",
    picture=Picture(table=0, between="after"),
    help="the schedulers beside each other on a plan's fleet",
    about="Simulate a kept plan's fleet under every scheduler, with the same requests, and compare them.",
    options=(ONLY,),
    view="routing",
    after="routers",
)
