"""What the list of plans shows of the plan under its cursor: read in a thread, written to any width."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fleettui.domain.plan_row import PlanRow
from fleettui.domain.provenance import Provenance
from fleettui.planning.ancestry import family
from fleettui.planning.compare import compared
from fleettui.planning.joint_left import beside_others
from fleettui.planning.kept_studies import list_studies
from fleettui.reports.ancestry_text import NO_KIN, Family, family_text
from fleettui.reports.comparison.build import compare
from fleettui.reports.comparison.model import Compared
from fleettui.reports.comparison.text import comparison_text
from fleettui.reports.plan_text import preview_text
from fleettui.reports.text_page import fact, text_page

if TYPE_CHECKING:
    from store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A plan as its preview needs it, and the plan that it is compared with: its parent, or the one that is shown.

    `studies` is how many are kept of it, `every_study` how many in all, `newest` the title of its newest; `kin` what it
    was forked from and what from it.
    """

    row: PlanRow
    plan: Compared
    provenance: Provenance
    other: Compared | None = None
    is_parent: bool = False
    studies: int = 0
    every_study: int = 0
    newest: str = ""
    kin: Family | None = None

    def text(self, width: int) -> str:
        """Return what it is and says."""
        words = preview_text(
            self.row,
            self.plan.answer,
            self.plan.question,
            self.provenance,
            studies=self.studies,
            newest=self.newest,
            width=width,
        )
        return f"{words}\n{self.forks(width)}"

    def forks(self, width: int) -> str:
        """Return what it was forked from, and what from it, each with what changed."""
        if self.kin is None or self.kin.alone:
            return text_page([fact("forks", NO_KIN)], width)
        return f"-- forks, F opens one --\n{family_text(self.kin, width)}"

    def change(self, width: int) -> str:
        """Return how it differs from its parent, or else from the plan that is shown; empty where there is none."""
        if self.other is None:
            return ""
        origin = "its parent" if self.is_parent else "the plan shown now"
        words = comparison_text(compare((self.other, self.plan)), width)
        return f"-- change from {origin} {self.other.handle} --\n{words}"


def look_at(store: Store, plan: str, shown: str) -> Preview:
    """Return a plan, with its parent where it has one, else with the plan `shown` (an id), where that is another."""
    row, studies = store.row(plan), list_studies(store, plan, 1)
    other = row.parent or (shown if shown != plan else "")
    own = compared(store, plan)
    return Preview(
        row=row,
        plan=replace(own, answer=beside_others(store, own.answer)),
        provenance=store.provenance(plan),
        studies=store.count_studies(plan) if studies else 0,
        every_study=store.count_studies(),
        newest=studies[0][0].title if studies else "",
        kin=family(store, plan),
        other=compared(store, other) if other else None,
        is_parent=bool(row.parent),
    )
