"""A picture in the terminal: drawn once for each size, moved through with keys, and told in a line of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from fleettui.reports.canvas import Glyphs, Line, Span
from fleettui.reports.table import wrap

if TYPE_CHECKING:
    from fleettui.reports.bars import Bars
    from fleettui.reports.chart import Chart, Choice

CLASS = "plot--"
SUMMARY_LINES, ROOMY = 2, 10
"""Lines that the summary may take, where the plot has so many in all."""


class Plot(Widget, can_focus=True):
    """Shows a chart or bars, with the summary as the last line; points that have keys can be chosen and opened."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "plot--axis",
        "plot--label",
        "plot--limit",
        "plot--chosen",
        "plot--note",
        "plot--series-0",
        "plot--series-1",
        "plot--series-2",
        "plot--series-3",
        "plot--series-4",
        "plot--series-5",
    }
    DEFAULT_CSS = """
    Plot { height: 1fr; }
    Plot > .plot--axis { color: $text-muted; }
    Plot > .plot--label { color: $foreground; }
    Plot > .plot--limit { color: $text-warning; }
    Plot > .plot--chosen { color: $foreground; text-style: bold reverse; }
    Plot > .plot--note { color: $foreground; }
    Plot > .plot--series-0 { color: $text-secondary; }
    Plot > .plot--series-1 { color: $text-error; }
    Plot > .plot--series-2 { color: $text-primary; text-style: bold; }
    Plot > .plot--series-3 { color: $text-success; text-style: bold; }
    Plot > .plot--series-4 { color: $text-accent; }
    Plot > .plot--series-5 { color: $foreground; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h,left", "move(-1)", "Previous point", id="plot.previous", show=False),
        Binding("l,right", "move(1)", "Next point", id="plot.next", show=False),
        Binding("enter", "open", "Open", id="plot.open", show=False),
    ]

    chosen: reactive[str | None] = reactive(None)
    """The key of the chosen point."""

    class _OfPoint(Message):
        """Something happened to the point called `key`."""

        def __init__(self, plot: Plot, key: str) -> None:
            super().__init__()
            self.plot, self.key = plot, key

        @property
        def control(self) -> Plot:
            """Return the plot it happened in."""
            return self.plot

    class Moved(_OfPoint, namespace="plot"):
        """Another point was chosen with the keys."""

    class Opened(_OfPoint, namespace="plot"):
        """The chosen point was asked for."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._chart: Chart | Bars | None = None
        self._empty = ""
        self._choices: tuple[Choice, ...] = ()
        self._drawn_for: tuple[int, int, str, str | None] | None = None
        self._strips: list[Strip] = []

    @property
    def can_choose(self) -> bool:
        """Whether it has points that can be chosen."""
        return bool(self._choices)

    def show(self, chart: Chart | Bars | None, empty: str = "") -> None:
        """Show `chart`, or the words `empty` where there is none; the chosen point is kept where it is in both."""
        if chart == self._chart and empty == self._empty:
            return
        self._chart, self._empty = chart, empty
        self._choices = () if chart is None else _choices_of(chart)
        if self.chosen not in {choice.key for choice in self._choices}:
            self.chosen = None
        self._draw_again()

    def action_move(self, by: int) -> None:
        """Choose the next point to the right or the left, the first or the last where none is chosen yet."""
        keys = [choice.key for choice in self._choices]
        at = keys.index(self.chosen) + by if self.chosen in keys else min(by, 0) % len(keys)
        if 0 <= at < len(keys) and keys[at] != self.chosen:
            self.chosen = keys[at]
            self.post_message(self.Moved(self, keys[at]))

    def action_open(self) -> None:
        """Ask for the chosen point."""
        if self.chosen is not None:
            self.post_message(self.Opened(self, self.chosen))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let the keys through to others where no point can be chosen, or none is to be opened."""
        if action == "move":
            return self.can_choose
        return self.chosen is not None if action == "open" else super().check_action(action, parameters)

    def notify_style_update(self) -> None:
        """Draw again in the new theme's colours."""
        super().notify_style_update()
        self._draw_again()

    def render_line(self, y: int) -> Strip:
        """Return one line, drawn anew only when the chart, the size, the characters or the choice changed."""
        glyphs = cast(Glyphs, getattr(self.app, "glyphs", "braille"))
        now = (*self.size, glyphs, self.chosen)
        if now != self._drawn_for:
            self._strips = [self._strip(line) for line in self._lines(glyphs)]
            self._drawn_for = now
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, self.rich_style)

    def _lines(self, glyphs: Glyphs) -> list[Line]:
        width, height = self.size
        if self._chart is None:
            return [(Span(line[:width].ljust(width), "label"),) for line in wrap(self._empty, max(width, 1))[:height]]
        said = next((one.words for one in self._choices if one.key == self.chosen and one.words), self._chart.summary)
        words = wrap(said, max(width, 1))
        told = words[: SUMMARY_LINES if height >= ROOMY else 1]
        if len(told) < len(words):
            told[-1] = f"{told[-1]} {words[len(told)]}"
        room = height - len(told)
        drawn = _drawn(self._chart, width, room, glyphs, self.chosen)
        return [*drawn, *((Span(_cut(line, width, glyphs), "note"),) for line in told)]

    def _strip(self, line: Line) -> Strip:
        segments = [Segment(span.text, self.get_component_rich_style(CLASS + span.role)) for span in line]
        return Strip(segments, self.size.width)

    def _draw_again(self) -> None:
        self._drawn_for = None
        self.refresh()


def _choices_of(chart: Chart | Bars) -> tuple[Choice, ...]:
    """Return the points that can be chosen; what pictures take is loaded with the first, not before the first frame."""
    from fleettui.reports.chart import Chart

    return chart.choices() if isinstance(chart, Chart) else ()


def _drawn(chart: Chart | Bars, width: int, height: int, glyphs: Glyphs, chosen: str | None) -> Sequence[Line]:
    """Return the lines of a picture without its summary."""
    from fleettui.reports.bars import Bars
    from fleettui.reports.bars_text import draw_bars
    from fleettui.reports.chart_text import draw

    if isinstance(chart, Bars):
        return draw_bars(chart, width, height, glyphs)
    return draw(chart, width, height, glyphs, chosen)


def _cut(text: str, width: int, glyphs: Glyphs) -> str:
    """Return `text` in exactly `width` cells; what is cut ends in an ellipsis."""
    dots = "..." if glyphs == "ascii" else "…"
    if len(text) > width:
        text = text[: max(width - len(dots), 0)] + dots
    return text[:width].ljust(width)
