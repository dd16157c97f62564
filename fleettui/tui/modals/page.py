"""A text to read, as long as it may be, above the view: help, a table of the catalogue, a job's log, a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from fleettui.reports.chart import Chart
from fleettui.reports.chart_svg import chart_svg
from fleettui.tui.modals.prompt import Prompt
from fleettui.tui.new_file import new, write_new
from fleettui.tui.widgets import frame
from fleettui.tui.widgets.plot import Plot

if TYPE_CHECKING:
    from fleettui.tui.app import FleetApp


class Page(ModalScreen[None]):
    """Shows `text` under a title, below a plot where there are charts.

    Escape, q and enter leave it, y copies the text, w writes the plot to a file, n and p show the other charts, and h
    and l choose their points, where these can be chosen.
    """

    DEFAULT_CSS = """
    Page {
        align: center bottom;
        background: $background 0%;
        #page { height: 1fr; scrollbar-size-vertical: 1; background: $surface; border: ascii $primary; }
        #page { overflow-x: hidden; }
        #page-text { height: auto; width: 1fr; }
        #page-plot { height: 12; margin: 0 0 1 0; }
        &.-tall #page-plot { height: 16; }
        &.-tiny #page-plot { display: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", "back"),
        Binding("y", "copy", "copy"),
        Binding("w", "write", "write"),
        Binding("j", "down", "down"),
        Binding("k", "up", "up"),
        Binding("n", "turn(1)", "next picture"),
        Binding("p", "turn(-1)", "picture before"),
        Binding("h,left", "point(-1)", "point before"),
        Binding("l,right", "point(1)", "next point"),
    ]

    def __init__(self, title: str, text: str, charts: Sequence[Chart] = ()) -> None:
        super().__init__()
        self._title, self._text, self._charts, self._place = title, text, charts, 0

    @property
    def _chart(self) -> Chart | None:
        """The chart that is shown."""
        return self._charts[self._place] if self._charts else None

    def compose(self) -> ComposeResult:
        """Lay out the title, the text and the keys."""
        with VerticalScroll(id="page"):
            if self._chart is not None:
                plot = Plot(id="page-plot")
                plot.can_focus = False  # the page has the keys, which scroll it, too
                plot.show(self._chart)
                yield plot
            yield Static(self._text, id="page-text", markup=False)
        yield frame.Line(id="page-keys")

    def on_mount(self) -> None:
        """Say what can be done here."""
        page = self.query_one("#page", VerticalScroll)
        page.border_title = Content(self._title)
        page.focus()
        self._say_keys()

    def _say_keys(self) -> None:
        words = ["esc back", "y copy", *([] if self._chart is None else ["w write the picture"]), "j k scroll"]
        if len(self._charts) > 1:
            words.append("n p pictures")
        if self._charts and self.query_one(Plot).can_choose:
            words.append("h l through it")
        self.query_one("#page-keys", frame.Line).show(frame.words("  ".join(words)))

    def action_turn(self, by: int) -> None:
        """Show the next chart, or the one before, at the top of the page."""
        if len(self._charts) > 1:
            self._place = (self._place + by) % len(self._charts)
            self.query_one(Plot).show(self._chart)
            self.query_one("#page", VerticalScroll).scroll_home(animate=False)
            self._say_keys()

    def action_point(self, by: int) -> None:
        """Choose the next point of the chart, or the one before."""
        if self._charts and self.query_one(Plot).can_choose:
            self.query_one(Plot).action_move(by)

    def action_copy(self) -> None:
        """Copy the text."""
        app = cast("FleetApp", self.app)
        app.do(lambda: app.copy_text(self._text))

    def action_write(self) -> None:
        """Write the plot as a picture to a file that is not there yet, whose name is asked for."""
        chart, app = self._chart, cast("FleetApp", self.app)
        if chart is None:
            return

        def taken(path: str | None) -> None:
            if path is not None:
                app.do(lambda: write_new(app, new(path), chart_svg(chart)))

        name = f"{'-'.join(self._title.split()[:2])}.svg"
        help = "the plot as a picture, to a new file; none is written over"
        app.push_screen(Prompt("write to", value=name, help=help, check=new), taken)

    def action_down(self) -> None:
        """Scroll a line down."""
        self.query_one("#page", VerticalScroll).scroll_down(animate=False)

    def action_up(self) -> None:
        """Scroll a line up."""
        self.query_one("#page", VerticalScroll).scroll_up(animate=False)
