"""What the question of a kept plan trades for what: the best for each objective, and the front, both held to proofs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.studies.study_type import Command, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.planning.kept_plan import KeptPlan
    from fleettui.planning.studies.study_context import StudyContext


async def work(desk: StudyContext, plan: str) -> Study:
    """Return what the question of `plan` trades for what.

    Of a plan of the papers' preset it is the cheapest fleet of each split, by their method. Raises InputError where no
    fleet holds by formula.
    """
    from fleettui.planning.proven_front import Front
    from fleettui.reports.studies.pareto import pareto_study

    kept = desk.kept(plan)
    if kept.question.preset == "paper":
        return await _by_split(desk, kept)
    answer, question = kept.answer, kept.question
    searched = bool(question.gpus or answer.excluded) or len(answer.candidates) > 1
    tradeoff = await Front(desk=desk, kept=kept, profiles=kept.profiles if searched else ()).found()
    if not tradeoff.front:
        raise InputError(
            "by formula no fleet holds every limit, so there is nothing to choose from",
            value=plan,
            remedy=f"fleettui why {kept.handle} says by how much",
        )
    return pareto_study(answer, question, tradeoff)


async def _by_split(desk: StudyContext, kept: KeptPlan) -> Study:
    """Return what the papers' method trades: the cheapest fleet of each split, its slots held."""
    from fleettui.domain.paper_fleet import PaperFleet
    from fleettui.reports.studies.paper import front_study

    found = await desk.run(
        "paper_fleets-front",
        tuple[PaperFleet, ...],
        question=kept.question,
        workload=kept.workload,
        rate=kept.answer.demand.rate,
        seed=kept.answer.plan.seed,
    )
    limit = kept.question.slo.ttft
    assert limit is not None, "the papers size by TTFT"
    return front_study(kept.answer, f"pareto {kept.handle}", found, limit)


STUDY = StudyType(
    kind="pareto",
    work=work,
    title="what faster, fewer or cooler GPUs cost",
    picture=Picture(table=1, between="before", titled=True),
    command=Command(
        help="what cost and latency trade: the best by each, the front",
        about="Print the best fleet for each objective, and the fleets that no other beats in cost and TTFT at once.",
        after="whatif",
        workers=False,
    ),
)
