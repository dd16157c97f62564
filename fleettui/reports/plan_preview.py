"""A kept plan in a few lines, as a list shows the one under its cursor: what it is, what it says, how to get it."""

from __future__ import annotations

from fleettui.domain.plan import Answer, PlanRow
from fleettui.domain.scenario import Provenance, Question
from fleettui.reports import units
from fleettui.reports.answer_head import answer_head, labelled
from fleettui.reports.question.conversion import summary
from fleettui.reports.table import WIDTH


def preview_text(
    row: PlanRow,
    answer: Answer,
    question: Question,
    provenance: Provenance,
    *,
    studies: int = 0,
    newest: str = "",
    width: int = WIDTH,
) -> str:
    """Return the question, the head of the answer, the labels, who made it, and the command that shows it again.

    `studies` is how many are kept of it, `newest` the title of the newest.
    """
    return "\n".join(
        [
            *labelled("asked", f"{units.per_second(answer.demand.rate)}/s   {summary(question)}", width),
            *answer_head(answer, question, width, brief=True, finished=row.finished),
            *labelled("note", row.note, width),
            *labelled("tags", " ".join(row.tags), width),
            *labelled("made", _made(row, answer, provenance), width),
            *labelled("studies", f"{units.count(studies)}: {newest}" if studies else "", width),
            *labelled("again", f"fleettui show {row.handle}", width),
        ]
    )


def _made(row: PlanRow, answer: Answer, provenance: Provenance) -> str:
    program = f"by fleettui {provenance.program_version}, engine {answer.plan.engine_version}"
    return f"{units.moment(row.created)} UTC {program}   seed {answer.plan.seed}"
