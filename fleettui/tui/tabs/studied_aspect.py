"""What views of one aspect have in common whose kept study of the plan stands beside what the plan says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.reports.panes import Pane
from fleettui.reports.taken import Taken
from fleettui.tui.tabs.plan_aspect import AspectView

if TYPE_CHECKING:
    from store import Store


FIRST, UNTIL = "r plans the question first, then ", "when the plan is done, "
"""What comes before `v` can make a study: a plan that is kept, and finished."""


class StudiedAspectView(AspectView):
    """Shows what the plan says, and the newest study of the view's kind beside it; `v` makes one."""

    kind: ClassVar[str]
    nothing: ClassVar[str]
    """Why there is nothing to study where no plan is kept."""
    beside: ClassVar[tuple[str, ...]] = ()
    """The kinds of other studies whose newest are shown, too."""
    _study: Study | None = None
    _beside: tuple[Study | None, ...] = ()

    def told(self, candidate: Candidate, question: Question, study: Study | None) -> Sequence[Pane]:
        """Return what is shown of a fleet, and of the kept study, None where there is none."""
        raise NotImplementedError

    def to_take(self, study: Study) -> Sequence[Taken]:
        """Return the rows of the study that can be taken into the question, the first the likeliest."""
        raise NotImplementedError

    @property
    def own_study(self) -> Study | None:
        """The newest study of the plan that is shown; a candidate that is looked at has none."""
        return self.of_shown(self._study)

    def newest(self, kind: str) -> Study | None:
        """Return the newest study of a kind that is shown beside the view's own, where it is of what is shown."""
        found = dict(zip(self.beside, self._beside, strict=False))
        return self.of_shown(found.get(kind))

    def of_shown(self, study: Study | None) -> Study | None:
        """Return a study where it is of what is shown, which is a plan's own answer."""
        shown = self.state.shown
        own = shown is not None and shown.chosen is None and study is not None and study.plan == shown.plan
        return study if own else None

    @property
    def before(self) -> str:
        """What comes before `v` works here, in words that stand before its key; empty where it does."""
        if self.possible()["proof"]:
            return ""
        return UNTIL if self.selected_plan() else FIRST

    @property
    def called(self) -> str:
        """What a command calls the plan that is shown."""
        shown = self.state.shown
        return "PLAN" if shown is None or not self.selected_plan() else shown.answer.plan.handle

    def panes(self, candidate: Candidate, question: Question) -> Sequence[Pane]:
        """Return what the plan says, and its newest study."""
        return self.told(candidate, question, self.own_study)

    def show(self) -> None:
        """Show the plan, and read whether a study of it is kept."""
        super().show()
        if plan := self.selected_plan():
            self.fleet_app.spawn(self._read(plan))

    async def _read(self, plan: str) -> None:
        kinds = (self.kind, *self.beside)
        found = await self.state.thread.read(lambda store: [_newest(store, plan, kind) for kind in kinds])
        before = [self._study, *(self._beside or [None] * len(self.beside))]
        if found != before and plan == self.selected_plan():
            self._study, self._beside = found[0], tuple(found[1:])
            super().show()
            self.fleet_app.draw_frame()  # what its keys can do may be another

    async def do_proof(self) -> None:
        """Make the study of the plan, as its command does."""
        from fleettui.planning.studies.study_context import make
        from fleettui.tui.actions.studies import worked_out

        if not (plan := self.selected_plan()):
            raise InputError(self.nothing, remedy="r plans the question")
        await worked_out(
            self.fleet_app,
            self.kind,
            lambda tools: make(self.kind, tools.store, report=tools.task.report, pool=tools.pool, plan=plan),
        )
        self.show()

    async def do_take(self) -> None:
        """Let a row of the study be chosen, and take it into the question; raises InputError where there is none."""
        from fleettui.tui.modals.choose import Choose

        found = {str(place): one for place, one in enumerate(self._takeable())}
        if not found:
            raise InputError("no study of this plan has a row to take into the question", remedy="v makes one")
        entries = {place: one.words for place, one in found.items()}
        chosen = await self.app.push_screen_wait(Choose("take into the question", entries))
        if chosen is not None:
            taken = found[chosen]
            self.state.edit(taken.texts)
            self.app.notify(taken.told or "taken into the question: r plans it", markup=False)

    def possible(self) -> dict[str, object]:
        """A kept plan with a fleet can be studied, and a row of its study taken."""
        shown = self.state.shown
        fleet = shown is not None and shown.answer.answer is not None and shown.finished
        return super().possible() | {"proof": fleet and bool(self.selected_plan()), "take": self._takeable()}

    def _takeable(self) -> Sequence[Taken]:
        return () if self.own_study is None else self.to_take(self.own_study)


def _newest(store: Store, plan: str, kind: str) -> Study | None:
    """Return the newest study of a plan of this kind; None where there is none."""
    return next(iter(store.studies(1, plan, kind=kind)), None)
