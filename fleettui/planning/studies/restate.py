"""Which kept plans does today's engine or catalogue change?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.planning.studies.argument import Argument
from fleettui.planning.studies.study_type import Command, Prompt, StudyType

if TYPE_CHECKING:
    from fleettui.domain.study import Study
    from fleettui.planning.studies.study_context import StudyContext


async def work(desk: StudyContext, query: str = "") -> Study:
    """Return which finished plans that `query` finds come out otherwise today, and why."""
    from fleettui.planning.restate import restate

    return await restate(desk, query)


STUDY = StudyType(
    kind="restate",
    work=work,
    command=Command(
        help="the kept plans that today's engine and catalogue change",
        about="Answer kept plans by formula anew; print which change in count, cost or verdict, and why. Kept as a "
        "study.",
        examples="""\
\b
Examples:
  fleettui restate
  fleettui restate "tag:production since:90d"
  fleettui restate verdict:pass --json
""",
        after="backtest",
        view="plans",
        arguments=(
            Argument(
                name="query",
                form="word",
                example="[QUERY]",
                default="",
                help="which plans, as for list; all by default",
            ),
        ),
        of_shown=False,
        prompt=Prompt(
            help=lambda: "a query as for the list; empty for every kept plan",
        ),
    ),
)
