"""What the plan says about splitting prefill from decode."""

from __future__ import annotations

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.reports.plan_aspects import disagg_text
from fleettui.tui.tabs.plan_aspect import AspectView


class DisaggView(AspectView):
    """What do prefill and decode do to each other."""

    def words(self, candidate: Candidate | None, question: Question, width: int) -> str:
        """Return what the plan says."""
        return disagg_text(candidate, question, width)
