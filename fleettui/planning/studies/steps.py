"""The rate at which each fleet of a kept plan's shape runs out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fleettui.errors import InputError
from fleettui.planning.studies.argument import Argument, Given
from fleettui.planning.studies.study_type import StudyType
from fleettui.planning.studies.whatif import WHATIF, shape_of
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext

SPAN = 0.5, 2.0
"""From and to where a step table reaches unless told, as shares of the plan's rate."""


def read(given: Given) -> dict[str, Any]:
    """Return both ends as rates, None where they are not given."""
    from fleettui.reports.question.keys import BY_NAME

    ends = {
        name: float(BY_NAME["rate"].read_one(given[option], f"--{option}")) if option in given else None
        for name, option in (("low", "from"), ("high", "to"))
    }
    return {"plan": given["plan"], **ends}


async def work(desk: StudyContext, plan: str, low: float | None = None, high: float | None = None) -> Study:
    """Return where each fleet of the shape of `plan` runs out, from `low` to `high` requests/s.

    Half and twice the plan's rate unless given.
    """
    from fleettui.domain.whatif import Step
    from fleettui.reports import units
    from fleettui.reports.studies.steps import next_after, steps_study

    kept = desk.kept(plan)
    if kept.question.preset == "paper":
        return await _by_paper(desk, kept, low, high)
    edges = shape_of(desk, plan)
    about = edges.about
    start, end = _range(about.plan.demand.rate, low, high)

    async def told() -> tuple[tuple[Step, ...], float]:
        return await desk.run(
            "whatif-step-table",
            tuple[tuple[Step, ...], float],
            source=edges.source,
            fleet=about.fleet.fleet,
            anchors=edges.seen,
            low=start,
            high=end,
        )

    await edges.looked(about.sizes)
    found, lasts = await told()
    while (beyond := next_after(found, lasts)) is not None and await edges.looked(beyond.replicas):
        found, lasts = await told()  # another fleet may be the next then
    asked = f"{about.asked} --steps --from {units.RATE.write(start)} --to {units.RATE.write(end)}"
    return steps_study(replace(about, asked=asked), found, lasts)


def _range(rate: float, low: float | None, high: float | None) -> tuple[float, float]:
    own = (float(f"{rate * share:.4g}") for share in SPAN)
    start, end = (default if given is None else given for default, given in zip(own, (low, high), strict=True))
    if not start < end:
        raise InputError("the range of rates is empty", where="--from, --to", value=f"{start:g}/s to {end:g}/s")
    return start, end


async def _by_paper(desk: StudyContext, kept: KeptPlan, low: float | None, high: float | None) -> Study:
    """Return where each fleet in the split of a plan runs out by the papers' method, its slots held."""
    from fleettui.domain.paper_fleet import PaperFleet
    from fleettui.reports import units
    from fleettui.reports.studies.paper import steps_study

    start, end = _range(kept.answer.demand.rate, low, high)
    limit, best = kept.question.slo.ttft, kept.fleet_for("whose split could be looked at")
    assert limit is not None, "the papers size by TTFT"
    found = await desk.run(
        "paper_fleets-steps",
        tuple[PaperFleet, ...],
        question=kept.question,
        workload=kept.workload,
        fleet=best.fleet,
        rate=kept.answer.demand.rate,
        low=start,
        high=end,
        seed=kept.answer.plan.seed,
    )
    asked = f"whatif {kept.handle} --steps --from {units.RATE.write(start)} --to {units.RATE.write(end)}"
    return steps_study(kept.answer, asked, found, limit)


STUDY = StudyType(
    kind="steps",
    command=WHATIF,
    work=work,
    read=read,
    picture=Picture(column="gpus", between="after"),
    arguments=(
        Argument(name="steps", form="flag", help="the rate at which each fleet of the shape runs out"),
        Argument(name="from", example="50/s", help="steps: half the rate unless given"),
        Argument(name="to", example="500/s", help="steps: twice the rate unless given"),
    ),
)
