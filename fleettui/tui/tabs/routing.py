"""What the plan says about routing."""

from __future__ import annotations

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.reports.plan_aspects import routing_text
from fleettui.tui.tabs.plan_aspect import AspectView


class RoutingView(AspectView):
    """How do requests find their pool, and what does each pool get."""

    def words(self, candidate: Candidate | None, question: Question, width: int) -> str:
        """Return what the plan says."""
        shown = self.state.shown
        return routing_text(candidate, question, width, others=() if shown is None else shown.answer.candidates)
