"""What the plan says about power, and its fleet under caps once they have been simulated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.reports.panes import Pane
from fleettui.reports.power_text import caps_to_take, power_panes
from fleettui.reports.taken import Taken
from fleettui.tui.tabs.studied_aspect import StudiedAspectView


class PowerView(StudiedAspectView):
    """What does the fleet draw, how near is the limit, and how deep a cap does it bear."""

    first_key: ClassVar[str] = "power-cap"
    kind: ClassVar[str] = "power"
    nothing: ClassVar[str] = "no plan is kept whose fleet could be capped"

    def told(self, candidate: Candidate, question: Question, study: Study | None) -> Sequence[Pane]:
        """Return what the plan's fleet draws, and the newest study of caps."""
        shown = self.state.shown
        others = () if shown is None else shown.answer.candidates
        derived = None if shown is None else shown.answer.demand
        return power_panes(
            candidate,
            question,
            study=study,
            before=self.before,
            others=others,
            derived=derived,
            plan=self.called,
        )

    def to_take(self, study: Study) -> Sequence[Taken]:
        """Return the caps that hold."""
        return caps_to_take(study)
