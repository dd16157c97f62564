"""What views of one aspect have in common: one text about the plan that is shown."""

from __future__ import annotations

from textual.app import ComposeResult

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.tui.progress_text import status, superseded_words
from fleettui.tui.tabs.view import View
from fleettui.tui.widgets.scroll import Scroll
from fleettui.tui.widgets.text_lines import Text

ASKING = "No plan yet: a asks a question, r plans it."
WIDEST = 120


class AspectView(View):
    """Shows what the plan says about one aspect."""

    def words(self, candidate: Candidate | None, question: Question, width: int) -> str:
        """Return what is shown of a fleet, in lines of at most `width`."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Lay out the status and the text."""
        yield Text(id="aspect-status")
        with Scroll(classes="aspect"):
            yield Text(id="aspect-text")

    def show(self) -> None:
        """Show the plan."""
        self.query_one("#aspect-status", Text).show(status(self.state))
        self.query_one("#aspect-text", Text).show(self.text(self.app.size.width - 2))

    def text(self, width: int) -> str:
        """Return what is shown."""
        shown = self.state.shown
        if shown is None or self.state.superseded:
            words = ASKING if shown is None else superseded_words(self.state)
            return f"{words}\n\n{self.entry.label} will answer: {self.entry.question}"
        return self.words(shown.candidate, shown.question, min(max(width, 40), WIDEST))

    def copied(self) -> str:
        """Return what is shown."""
        return self.text(80)
