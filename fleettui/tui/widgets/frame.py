"""The three lines that are always there: the header, the bar of views, and the footer of keys."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.widget import Widget

from fleettui.tui import keys

NAMES = ("Workload", "Fleet", "Routing", "Disagg", "Power", "Plans", "Compare", "Jobs")
SHORT = ("Work", "Fleet", "Route", "Disagg", "Power", "Plans", "Cmp", "Jobs")
PLAN_VIEWS = 5
"""After so many views a stroke parts those of one plan from those of all."""


class Line(Widget):
    """One line of text, drawn anew only when it changes."""

    DEFAULT_CSS = "Line { height: 1; width: 1fr; }"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._content = Content("")

    def show(self, content: Content) -> None:
        """Show `content`."""
        if content != self._content:
            self._content = content
            self.refresh()

    def render(self) -> Content:
        """Return what is shown."""
        return self._content


def bar(current: int, width: int) -> Content:
    """Return the bar of views, the current one in brackets; shorter names where the line is short."""
    names = NAMES if width >= len(_bar(NAMES, current)) else SHORT
    text = _bar(names, current)
    if len(text) > width:
        text = f"[{current} {SHORT[current - 1]}] 1-8 views"
    start = text.index("[")
    end = text.index("]") + 1
    return Content(text[:width]).stylize("bold reverse", start, end)


def _bar(names: tuple[str, ...], current: int) -> str:
    """Return the bar as text; every name keeps its place, whichever is the current one."""
    parts = []
    for number, name in enumerate(names, start=1):
        left, right = ("[", "]") if number == current else (" ", " ")
        parts.append(f"{left}{number} {name}{right}")
    return "".join(parts[:PLAN_VIEWS]) + "|" + "".join(parts[PLAN_VIEWS:])


def header(name: str, question: str, badge: str, width: int) -> Content:
    """Return the header: the program, the plan, its question, and at the right end what runs."""
    left = "  ".join(part for part in ("fleettui", name, question) if part)
    room = width - (len(badge) + 2 if badge else 0)
    if cell_len(left) > room:
        left = set_cell_size(left, max(room - 1, 0)) + "…"
    return Content(set_cell_size(left, room) + (f"  {badge}" if badge else "")).stylize("bold", 0, len("fleettui"))


def footer(view: int, width: int, dim: frozenset[str] = frozenset()) -> Content:
    """Return the footer of a view: the next keys."""
    return words(keys.footer(view, width, dim))


def words(text: str) -> Content:
    """Return `key word  key word` with each key bold."""
    content, start = Content(text), 0
    for entry in text.split("  "):
        content = content.stylize("bold", start, start + len(entry.split(" ", maxsplit=1)[0]))
        start += len(entry) + 2
    return content
