"""What every view is: a body that shows the state, drawn only while it is seen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar, cast

from textual.containers import Vertical
from textual.widget import Widget

from fleettui.tui.screen_size import WIDE
from fleettui.tui.state import AppState
from fleettui.tui.tabs import Entry, named

if TYPE_CHECKING:
    from fleettui.domain.plan import Candidate
    from fleettui.tui.app import FleetApp
    from fleettui.tui.tabs.delivery import Delivery

LOW = 16
"""Lines below which only the first part is shown."""


class View(Vertical):
    """One of the views. A method `do_VERB` answers a key of the table in `fleettui.tui.keys`."""

    @property
    def entry(self) -> Entry:
        """What the whole app knows of the view."""
        return named((self.id or "").removeprefix("view-"))

    @property
    def fleet_app(self) -> FleetApp:
        """The app, by its own type."""
        return cast("FleetApp", self.app)

    @property
    def state(self) -> AppState:
        """The state that all views share."""
        return self.fleet_app.state

    @property
    def wide(self) -> bool:
        """Whether the screen is wide."""
        return self.app.size.width >= WIDE

    def show(self) -> None:
        """Show the state; called when the view comes to be seen, and when the state changes meanwhile."""

    def tick(self) -> None:
        """Show how far the work has come; called a few times a second while something runs and the view is seen."""

    def first_focus(self) -> Widget | None:
        """Return what has the focus when the view comes to be seen."""
        return next((one for one in self.query("*") if one.focusable), None)

    first_key: ClassVar[str] = "slo-ttft"
    """The key of the question on which editing begins here."""

    def selected_plan(self) -> str:
        """Return the id of the plan that keys act on, empty where none is kept."""
        return "" if self.state.shown is None or self.state.superseded else self.state.shown.plan

    async def selected_candidate(self) -> Candidate | None:
        """Return the fleet that keys act on."""
        return None if self.state.shown is None or self.state.superseded else self.state.shown.candidate

    def file_name(self) -> str:
        """Return the name that a written file has, unless another is typed."""
        return "fleettui.txt"

    def deliveries(self) -> Mapping[str, Delivery]:
        """Return what `w` writes of the view itself, by name; what it writes of a kept plan is the same in all."""
        from fleettui.tui.tabs.delivery import Delivery, known

        text = self.copied()
        return {"text": Delivery("what is shown here", self.file_name(), partial(known, text))} if text else {}

    def possible(self) -> dict[str, object]:
        """Return whether verbs of this view can do something just now; one that is not named always can."""
        kept = self.selected_plan()
        found = {"cancel": self.state.thread.alive, "undo": self.state.earlier, "name": kept, "forks": kept}
        return found | {"plan": self.state.joint is None}

    def impossible(self) -> frozenset[str]:
        """Return the verbs that can do nothing just now; the footer leaves them out."""
        return frozenset(verb for verb, possible in self.possible().items() if not possible)

    def copied(self) -> str:
        """Return what `y` copies: the view in words."""
        return ""
