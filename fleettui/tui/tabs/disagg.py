"""What the plan says about prefill and decode, and pools of their own for them once they have been searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.reports.disagg_text import disagg_panes, ways_to_take
from fleettui.reports.panes import Pane
from fleettui.reports.taken import Taken
from fleettui.tui.tabs.studied_aspect import StudiedAspectView


class DisaggView(StudiedAspectView):
    """What do prefill and decode do to each other, and do pools of their own pay."""

    first_key: ClassVar[str] = "token-budget"
    kind: ClassVar[str] = "disagg"
    nothing: ClassVar[str] = "no plan is kept whose prefill and decode could be taken apart"

    def told(self, candidate: Candidate, question: Question, study: Study | None) -> Sequence[Pane]:
        """Return what the plan's replicas do, and the newest study of both ways."""
        shown = self.state.shown
        others = () if shown is None else shown.answer.candidates
        return disagg_panes(candidate, question, study=study, others=others, before=self.before, plan=self.called)

    def to_take(self, study: Study) -> Sequence[Taken]:
        """Return the fleets of both ways."""
        return ways_to_take(study)
