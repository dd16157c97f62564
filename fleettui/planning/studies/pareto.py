"""What the question of a kept plan trades for what: the best for each objective, and the front, both held to proofs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.studies.study_type import Command, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext


async def work(desk: StudyContext, plan: str) -> Study:
    """Return what the question of `plan` trades for what.

    Raises InputError for a plan of the papers' preset, and where no fleet holds by formula.
    """
    from fleettui.planning.proven_front import Front
    from fleettui.reports.studies.pareto import pareto_study

    kept = desk.kept(plan)
    kept.check_no_paper("has no trade-off: there, prompts cost no time")
    answer, question = kept.answer, kept.question
    searched = bool(question.gpus or answer.excluded) or len(answer.candidates) > 1
    tradeoff = await Front(desk=desk, kept=kept, profiles=kept.profiles if searched else ()).found()
    if not tradeoff.front:
        raise InputError(
            "by formula no fleet holds every limit, so there is nothing to choose from",
            value=plan,
            remedy=f"fleettui why {kept.handle} says by how much",
        )
    return pareto_study(answer, question, f"pareto {kept.handle}", tradeoff)


STUDY = StudyType(
    kind="pareto",
    work=work,
    picture=Picture(table=1, between="before", titled=True),
    command=Command(
        name="pareto",
        help="what cost and latency trade: the best by each, the front",
        about="Print the best fleet for each objective, and the fleets that no other beats in cost and TTFT at once.",
        after="whatif",
        workers=False,
    ),
)
