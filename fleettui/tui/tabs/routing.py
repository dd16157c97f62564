"""What the plan says about routing, its routers beside each other, and a burst, once they have been played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.reports.panes import Pane
from fleettui.reports.routers_table import routers_to_take
from fleettui.reports.routing_text import routing_panes
from fleettui.reports.taken import Taken
from fleettui.tui.tabs.studied_aspect import StudiedAspectView

BURST = "burst x2 for 5min"
"""The line that asks for a burst, to be changed."""


class RoutingView(StudiedAspectView):
    """How do requests find their pool, what does each pool get, and what would another router change."""

    first_key: ClassVar[str] = "router"
    kind: ClassVar[str] = "routers"
    beside: ClassVar[tuple[str, ...]] = ("why", "burst", "failures")
    nothing: ClassVar[str] = "no plan is kept whose routers could be played"

    def told(self, candidate: Candidate, question: Question, study: Study | None) -> Sequence[Pane]:
        """Return how requests find their pool, what compression saves, and the newest study of routers."""
        shown = self.state.shown
        workload = None if shown is None else shown.workload or self.state.known.get(shown.question.workload or "")
        return routing_panes(
            candidate,
            question,
            others=() if shown is None else shown.answer.candidates,
            lengths=None if workload is None else workload.slices[0].lengths,
            study=study,
            reasons=self.newest("why"),
            burst=self.newest("burst"),
            failures=self.newest("failures"),
            before=self.before,
        )

    def to_take(self, study: Study) -> Sequence[Taken]:
        """Return the other routers."""
        return routers_to_take(study)

    async def do_burst(self) -> None:
        """Ask for a window in one line, play it, and show what came of it."""
        from fleettui.planning.studies.whatif import WHATIF
        from fleettui.tui.actions.studies import make_study

        await make_study(self.fleet_app, WHATIF, BURST)
        self.show()

    def possible(self) -> dict[str, object]:
        """A burst can be sent to what can be studied, where all requests are of one class."""
        found, shown = super().possible(), self.state.shown
        of_one = shown is not None and shown.question.batch_share is None
        return found | {"burst": found["proof"] and of_one}
