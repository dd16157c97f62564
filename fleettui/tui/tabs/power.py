"""What the plan says about power, and its fleet under caps once they have been simulated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.reports.panes import Pane
from fleettui.reports.power_text import deepest_cap, power_panes
from fleettui.tui.tabs.studied_aspect import StudiedAspectView


class PowerView(StudiedAspectView):
    """What does the fleet draw, how near is the limit, and how deep a cap does it bear."""

    first_key: ClassVar[str] = "power-cap"
    kind: ClassVar[str] = "power"
    nothing: ClassVar[str] = "no plan is kept whose fleet could be capped"

    def told(self, candidate: Candidate | None, question: Question, study: Study | None) -> Sequence[Pane]:
        """Return what the plan's fleet draws, and the newest study of caps."""
        shown = self.state.shown
        others = () if shown is None else shown.answer.candidates
        return power_panes(candidate, question, study=study, others=others)

    def do_take(self) -> None:
        """Take the deepest cap that holds into the question; raises InputError where no study has found one."""
        watts = self._cap()
        if watts is None:
            raise InputError("no study of this plan has found a cap that holds", remedy="v makes one")
        self.state.edit({"power-cap": f"{watts:g}W"})

    def possible(self) -> dict[str, object]:
        """A cap that holds can be taken, once a study has found one."""
        return super().possible() | {"take": self._cap() is not None}

    def _cap(self) -> float | None:
        return None if self.own_study is None else deepest_cap(self.own_study)
