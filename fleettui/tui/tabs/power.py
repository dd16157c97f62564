"""What the plan says about power."""

from __future__ import annotations

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.reports.plan_aspects import power_text
from fleettui.tui.tabs.plan_aspect import AspectView


class PowerView(AspectView):
    """What does the fleet draw, and how near is the limit."""

    def words(self, candidate: Candidate | None, question: Question, width: int) -> str:
        """Return what the plan says."""
        return power_text(candidate, question, width)
