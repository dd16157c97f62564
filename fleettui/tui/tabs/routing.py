"""What the plan says about routing, and its routers beside each other once they have been played."""

from __future__ import annotations

from typing import ClassVar

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.reports.plan_aspects import routing_text
from fleettui.tui.tabs.studied_aspect import StudiedAspectView


class RoutingView(StudiedAspectView):
    """How do requests find their pool, what does each pool get, and what would another router change."""

    first_key: ClassVar[str] = "router"
    kind: ClassVar[str] = "routers"
    beside: ClassVar[str] = "why"
    nothing: ClassVar[str] = "no plan is kept whose routers could be played"

    def told(self, candidate: Candidate | None, question: Question, width: int, study: Study | None) -> str:
        """Return how requests find their pool, what compression saves, and the newest study of routers."""
        others = () if self.state.shown is None else self.state.shown.answer.candidates
        reasons = self.of_shown(self._beside)
        return routing_text(candidate, question, width, others=others, study=study, reasons=reasons)
