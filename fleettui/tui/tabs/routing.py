"""What the plan says about routing, and its routers beside each other once they have been played."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.reports.plan_aspects import routing_text
from fleettui.tui.tabs.plan_aspect import AspectView

if TYPE_CHECKING:
    from store import Store

KIND = "routers"


class RoutingView(AspectView):
    """How do requests find their pool, what does each pool get, and what would another router change."""

    first_key: ClassVar[str] = "router"
    _study: Study | None = None

    def words(self, candidate: Candidate | None, question: Question, width: int) -> str:
        """Return what the plan says, and the newest study of its routers; a candidate that is looked at has none."""
        shown = self.state.shown
        others = () if shown is None else shown.answer.candidates
        own = shown is not None and shown.chosen is None and self._study is not None and self._study.plan == shown.plan
        return routing_text(candidate, question, width, others=others, study=self._study if own else None)

    def show(self) -> None:
        """Show the plan, and read whether a study of its routers is kept."""
        super().show()
        if plan := self.selected_plan():
            self.fleet_app.spawn(self._read(plan))

    async def _read(self, plan: str) -> None:
        found = await self.state.thread.read(lambda store: _newest(store, plan))
        if found != self._study and plan == self.selected_plan():
            self._study = found
            super().show()

    async def do_proof(self) -> None:
        """Play every router on the plan's fleet, as `fleettui routers` does."""
        from fleettui.planning.studies.study_context import make
        from fleettui.tui.actions.studies import worked_out

        if not (plan := self.selected_plan()):
            raise InputError("no plan is kept whose routers could be played", remedy="r plans the question")
        await worked_out(
            self.fleet_app,
            KIND,
            lambda tools: make(KIND, tools.store, report=tools.task.report, pool=tools.pool, plan=plan),
        )
        self.show()

    def possible(self) -> dict[str, object]:
        """The routers of a kept plan with a fleet can be played."""
        shown = self.state.shown
        fleet = shown is not None and shown.answer.answer is not None and shown.finished
        return super().possible() | {"proof": fleet and bool(self.selected_plan())}


def _newest(store: Store, plan: str) -> Study | None:
    return next(iter(store.studies(1, plan, kind=KIND)), None)
