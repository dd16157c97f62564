"""What the list of plans shows of the plan under its cursor: read in a thread, written to any width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fleettui.domain.plan import Answer, PlanRow
from fleettui.domain.scenario import Provenance, Question
from fleettui.planning.studies import count_studies, list_studies
from fleettui.reports import changes
from fleettui.reports.plan_preview import preview_text
from fleettui.reports.table import render, wrap

if TYPE_CHECKING:
    from store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """The plan that one is compared with: the one that it was forked from, or the one that is shown."""

    answer: Answer
    question: Question
    is_parent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A plan as its preview needs it; `studies` is how many are kept of it, `newest` the title of the newest.

    `every_study` is how many are kept in all.
    """

    row: PlanRow
    answer: Answer
    question: Question
    provenance: Provenance
    other: Other | None = None
    studies: int = 0
    every_study: int = 0
    newest: str = ""

    def text(self, width: int) -> str:
        """Return what it is and says."""
        parent = self.other.answer.plan.handle if self.other is not None and self.other.is_parent else ""
        return preview_text(
            self.row,
            self.answer,
            self.question,
            self.provenance,
            parent=parent,
            studies=self.studies,
            newest=self.newest,
            width=width,
        )

    def change(self, width: int) -> str:
        """Return how it differs from its parent, or else from the plan that is shown; empty where there is none."""
        if self.other is None:
            return ""
        old, new = self.other, self
        origin = "its parent" if old.is_parent else "the plan shown now"
        table = changes.changes(old.answer, old.question, new.answer, new.question)
        words = changes.sentence(old.answer, new.answer, new.question)
        lines = [f"-- change from {origin} {old.answer.plan.handle} --", *wrap(words, width)]
        return "\n".join([*lines, *(render(table, width).splitlines() if table.rows else wrap(table.note, width))])


def look_at(store: Store, plan: str, shown: str) -> Preview:
    """Return a plan, with its parent where it has one, else with the plan `shown` (an id), where that is another."""
    row, studies = store.row(plan), list_studies(store, plan, 1)
    other = row.parent or (shown if shown != plan else "")
    return Preview(
        row=row,
        answer=store.plan(plan, most=1),
        question=store.question(plan),
        provenance=store.provenance(plan),
        studies=count_studies(store, plan) if studies else 0,
        every_study=count_studies(store),
        newest=studies[0][0].title if studies else "",
        other=_other(store, other, is_parent=bool(row.parent)) if other else None,
    )


def _other(store: Store, plan: str, *, is_parent: bool) -> Other:
    return Other(answer=store.plan(plan, most=1), question=store.question(plan), is_parent=is_parent)
