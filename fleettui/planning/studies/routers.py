"""The routers beside each other on a kept plan's fleet, all over the same requests, and the fleet that each needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.studies.plan_page import Argument, PlanPage, of_plan
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.fleet import Fleet
    from fleettui.domain.routers import LeftOut
    from fleettui.domain.scenario import Question
    from fleettui.domain.study import Study


async def tell(page: PlanPage, only: tuple[str, ...] = (), slow: float | None = None) -> Study:
    """Return what each router does on the plan's fleet, and the fleet that holds behind it.

    With `only` the plan's own and those; where `slow` is given one replica of each pool is at that share of its speed.
    Raises InputError for a fleet without a choice.
    """
    from fleettui.planning.router_trials import RouterTrials
    from fleettui.reports.studies.routers import routers_study

    kept, best = page.kept, page.best
    if all(pool.lanes == 1 for pool in best.fleet.pools):
        raise InputError(
            "every pool has one replica, so every router does the same",
            value=kept.ref,
            accepted="a plan with a pool of two replicas or more",
        )
    trials = RouterTrials(desk=page.desk, kept=kept, best=best, slow=slow)
    names, left_out = _that_apply(best.fleet, only, kept.question)
    played = await trials.played(names)
    needed = [await trials.needed(name) for name in names]
    return routers_study(kept.answer, kept.question, best, played, needed, left_out=left_out, slow=slow)


def _that_apply(fleet: Fleet, only: tuple[str, ...], question: Question) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Return the fleet's router and those of `only`, or all that differ on it and then those that do not apply.

    Raises InputError for one that is named and does not apply.
    """
    from fleettui.planning.routers_that_apply import Applying
    from fleettui.routing import ROUTERS

    known = Applying.to(question, len(fleet.pools), fleet)
    if told := next((one for one in known.left if one.router in only and one.router != fleet.router), None):
        raise InputError(
            f"router {told.router} {told.why}",
            where="--only",
            value=told.router,
            accepted=", ".join(known.names),
            remedy=told.remedy,
        )
    played = {fleet.router, *(name for name in known.names if not only or name in only)}
    return tuple(name for name in ROUTERS.names if name in played), () if only else known.left


STUDY = of_plan(
    tell,
    fleet="to send requests to",
    paper="has pools of one queue, not replicas to choose from",
    title="what another router changes",
    picture=Picture(table=0, between="after"),
    help="the routers beside each other on a plan's fleet",
    about="Simulate a kept plan's fleet behind every router, with the same requests, and size a fleet for each.",
    options=(
        Argument(name="only", reads="routers", example="random,vllm-dp", help="the plan's and these (default all)"),
        Argument(name="slow", reads="speed", example="50%", help="one replica of each pool at so much of its speed"),
    ),
    view="routing",
    after="pareto",
)
