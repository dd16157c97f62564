"""A table of any length: only the rows in view are read, in a thread, and only they are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import ClassVar, TypeAlias

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.worker import Worker, WorkerState

from fleettui.tui import turns
from fleettui.tui.type_ahead import READING
from fleettui.tui.widgets import table_messages
from fleettui.tui.widgets.pages import Page, Pages, Reading, Rows, complaint, index_of, read
from fleettui.tui.widgets.table_lines import GUTTER, Layout, verdicts

__all__ = ["Page", "PagedTable", "Rows"]

MOVES = (
    ("j,down", "move(1)", "down"),
    ("k,up", "move(-1)", "up"),
    ("g,home", "go_first", "first"),
    ("G,end", "go_last", "last"),
    ("pagedown", "leap(1.0)", "page_down"),
    ("pageup", "leap(-1.0)", "page_up"),
    ("ctrl+d", "leap(0.5)", "half_down"),
    ("ctrl+u", "leap(-0.5)", "half_up"),
    ("enter", "open", "open"),
)
READ_QUIETLY = "rows again"
"""The group of a reading for which no key waits."""
OTHERS = frozenset({"header", "empty", "error"})
"""Lines that are no rows."""


class PagedTable(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows under a fixed line of heads, with a cursor and marks that are signs before the row, not only colours."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(keys, action, name.replace("_", " "), show=False, id=f"table.{name}") for keys, action, name in MOVES
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "paged-table--header",
        "paged-table--cursor",
        "paged-table--mark",
        "paged-table--empty",
        "paged-table--error",
        "paged-table--good",
        "paged-table--bad",
        "paged-table--open",
    }
    DEFAULT_CSS = """
    PagedTable {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .paged-table--header { text-style: bold; }
        & > .paged-table--mark { text-style: bold; }
        & > .paged-table--cursor { text-style: underline; }
        & > .paged-table--empty { color: $text-muted; }
        & > .paged-table--error { text-style: bold; color: $text-error; }
        & > .paged-table--good { color: $text-success; }
        & > .paged-table--bad { color: $text-error; }
        & > .paged-table--open { color: $text-warning; }
        &:focus > .paged-table--cursor { text-style: reverse; }
    }
    """

    Moved: TypeAlias = table_messages.Moved
    Opened: TypeAlias = table_messages.Opened
    Counted: TypeAlias = table_messages.Counted

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._rows: Rows | None = None
        self._empty, self._error = "", ""
        self._count: int | None = None
        self._pages = Pages()
        self._layout = Layout()
        self._cursor, self._clicked = 0, -1
        self._told: str | None = None
        self._marks: frozenset[str] = frozenset()
        self._worker: Worker[Reading] | None = None
        self._counting = self._to_count = False
        self._is_other = self._to_start = False
        """Of the reading under way: whether its rows are another set, and whether the cursor goes to the first."""

    @property
    def key(self) -> str | None:
        """The key of the row under the cursor, None where there is no row or it is not read yet."""
        return self._pages.key(self._cursor) if self._count else None

    @property
    def cursor(self) -> int:
        """The index of the row under the cursor."""
        return self._cursor

    @property
    def count(self) -> int | None:
        """How many rows there are, None before they are counted."""
        return self._count

    @property
    def marks(self) -> frozenset[str]:
        """The keys of the rows that are marked."""
        return self._marks

    @marks.setter
    def marks(self, keys: frozenset[str]) -> None:
        if keys != self._marks:
            self._marks = keys
            self.refresh()

    def show(self, rows: Rows | None, *, empty: str = "", keep: bool = True) -> None:
        """Show other rows, or none; until they are read the old ones stay in view.

        `empty` is what is said when there are no rows. With `keep` the cursor stays on its key where that is near, else
        on its index; without it the cursor goes to the first row.
        """
        if rows is not self._rows:
            self._is_other, self._worker = True, None
        self._rows, self._empty, self._to_count = rows, empty, True
        self._to_start = self._to_start or not keep
        if rows is None:
            self._take(Reading(count=0, pages={}), counted=True)
        else:
            self._read()

    def reload(self) -> None:
        """Count and read the rows again; until they are read the old ones stay in view."""
        self._to_count = True
        self._read()

    def go_to(self, index: int) -> None:
        """Put the cursor on a row, the nearest there is."""
        if not self._count:
            return
        before, self._cursor = self._cursor, max(0, min(index, self._count - 1))
        self._clicked = -1
        self._follow()
        for row in (before, self._cursor):
            self.refresh_line(row + self._layout.head)
        self._tell()

    def action_move(self, rows: int) -> None:
        """Move the cursor by some rows."""
        self.go_to(self._cursor + rows)

    def action_leap(self, heights: float) -> None:
        """Move the cursor by a part of what is in view."""
        self.go_to(self._cursor + (1 if heights > 0 else -1) * max(1, int(self._height * abs(heights))))

    def action_go_first(self) -> None:
        """Move the cursor to the first row."""
        self.go_to(0)

    def action_go_last(self) -> None:
        """Move the cursor to the last row."""
        self.go_to(self._count or 0)

    def action_open(self) -> None:
        """Say that the row under the cursor is to be opened."""
        if self.key is not None:
            self.post_message(self.Opened(self, self.key))

    def on_mount(self) -> None:
        """Begin to read; characters of the scrollbar are not ASCII."""
        self._layout.ascii_only = getattr(self.app, "glyphs", "braille") == "ascii"
        if self._layout.ascii_only:
            self.styles.scrollbar_size_vertical, self.styles.scrollbar_gutter = 0, "auto"
        self._read()

    def on_resize(self) -> None:
        """Fit the columns into the new width and read what came into view."""
        self._layout.fit(self._width - GUTTER)
        self.refresh()
        self._follow()
        self._read()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Read what came into view."""
        super().watch_scroll_y(old_value, new_value)
        self._read()

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the row; open it when it was clicked before."""
        place = event.get_content_offset(self)
        index = -1 if place is None else self.scroll_offset.y + place.y - self._layout.head
        if place is None or place.y < self._layout.head or index >= (self._count or 0):
            return
        event.stop()
        if index == self._clicked:
            self.action_open()
        else:
            self.go_to(index)
            self._clicked = index

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Take in what was read, and read on where more came into view meanwhile."""
        if event.worker is not self._worker or event.state in (WorkerState.PENDING, WorkerState.RUNNING):
            return
        self._worker, found = None, event.worker.result
        if event.state is WorkerState.SUCCESS and found is not None:
            self._take(found, counted=self._counting)
            self._read()
        elif event.state is WorkerState.ERROR:
            asked_again, self._to_count = self._to_count, self._to_count or self._counting
            self._error = complaint(event.worker.error)
            self.refresh()
            if asked_again:
                self._read()

    def render_line(self, y: int) -> Strip:
        """Draw one line of what is in view."""
        text, role = self._line(y)
        width = self._width
        style = self.get_component_rich_style(f"paged-table--{role}") if role else self.rich_style
        line = set_cell_size(text, width)
        if role in OTHERS or len(line) != width:  # a character of two columns: places are not columns
            return Strip([Segment(line, style)], width)
        return Strip(list(self._with_verdicts(line, style)), width)

    def _with_verdicts(self, line: str, style: Style) -> Iterator[Segment]:
        """Yield a row's line, its verdicts in the colours that repeat what their words say."""
        at = 0
        for start, end, role in verdicts(line):
            colour = self.get_component_rich_style(f"paged-table--{role}").color
            yield Segment(line[at:start], style)
            yield Segment(line[start:end], style + Style(color=colour, bold=True))
            at = end
        yield Segment(line[at:], style)

    @property
    def _width(self) -> int:
        """The cells of a line, those of the scrollbar left out."""
        return max(0, self.size.width - self.scrollbar_gutter.width)

    @property
    def _height(self) -> int:
        """The rows in view."""
        return max(1, self.size.height - self._layout.head)

    def _in_view(self) -> range:
        """Return the rows that should be at hand: those in view, and as many before and after them."""
        top = 0 if self._to_start else self.scroll_offset.y
        stop = top + 2 * self._height
        return range(max(0, top - self._height), stop if self._to_count else min(stop, self._count or 0))

    def _read(self) -> None:
        """Read what is to be read, unless a reading is under way: its end asks again."""
        if self._rows is None or not self.is_attached:
            return
        group = READ_QUIETLY if turns.is_background() else READING
        if self._worker is not None:
            self._worker.group = group if self._worker.group == READ_QUIETLY else READING  # a key may wait for it now
            return
        wanted = self._in_view()
        if not self._to_count and not self._pages.missing(wanted):
            return
        work = partial(read, self._rows, wanted, None if self._to_count else self._count)
        self._counting, self._to_count = self._to_count, False
        told = "read rows"  # without it Textual would write out all that the rows hold, at each reading
        self._worker = self.run_worker(
            work, told, description=told, group=group, thread=True, exclusive=True, exit_on_error=False
        )

    def _take(self, reading: Reading, *, counted: bool) -> None:
        """Let what was read stand in place of what was there."""
        key = self.key
        if counted and self._is_other:
            self._pages, self._is_other = Pages(), False
        elif counted:
            self._pages.outdate()
        self._pages.put(reading.pages)
        self._count, self._error = reading.count, ""
        for page in reading.pages.values():
            self._layout.learn(page.table)
        self.virtual_size = Size(0, reading.count + self._layout.head)
        found = index_of(key, reading.pages) if counted else None
        self._place(self._cursor if found is None else found)
        if counted:
            self.post_message(self.Counted(self, reading.count))
        self.refresh()
        self._tell()

    def _place(self, index: int) -> None:
        """Put the cursor where its row is now, which stays at its height on the screen."""
        target = 0 if self._to_start else max(0, min(index, (self._count or 0) - 1))
        shift, self._cursor = target - self._cursor, target
        self.scroll_to(y=0 if self._to_start else self.scroll_offset.y + shift, animate=False, force=True)
        self._to_start = False

    def _follow(self) -> None:
        """Scroll until the cursor is in view."""
        top = self.scroll_offset.y
        nearest = max(self._cursor - self._height + 1, min(top, self._cursor))
        if nearest != top:
            self.scroll_to(y=nearest, animate=False, force=True)

    def _tell(self) -> None:
        """Say that the cursor stands on another key, once that is read."""
        if self.key != self._told and (self.key is not None or not self._count):
            self._told = self.key
            self.post_message(self.Moved(self, self.key))

    def _line(self, y: int) -> tuple[str, str]:
        """Return the text of a line in view, and what it is."""
        if self._error and y == (self.size.height - 1 if self._count else 0):
            return self._layout.told(self._error, len(self._error))[0], "error"
        if not self._count:
            lines = self._layout.told(self._empty if self._count == 0 else self._layout.unread, self._width)
            return lines[y] if y < len(lines) and not self._error else "", "empty"
        head = self._layout.head
        if y < head:
            return self._layout.heads(), "header"
        index = self.scroll_offset.y + y - head
        if index >= self._count:
            return "", ""
        cursor, mark = index == self._cursor, self._pages.key(index) in self._marks
        text = self._layout.row(self._pages.row(index), cursor=cursor, mark=mark)
        return text, "cursor" if cursor else "mark" if mark else ""
