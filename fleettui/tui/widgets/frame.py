"""The three lines that are always there: the header, the bar of views, and the footer of keys."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from fleettui.tui.tabs import SPAN, VIEWS, Entry, named


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


def bar(current: str, width: int) -> Content:
    """Return the bar of views, the current one in brackets; shorter names where the line is short, at last none."""
    at = named(current)
    bars = (
        _bar([view.title for view in VIEWS], at),
        _bar([view.short for view in VIEWS], at),
        _bar([at.short if view is at else "" for view in VIEWS], at),
        f"[{at.number} {at.short}] {SPAN} views",
    )
    text = next((text for text in bars if len(text) <= width), bars[-1])
    content = Content(text[:width])
    for view in VIEWS if text is not bars[-1] else ():
        name = (view.title, view.short, at.short if view is at else "")[bars.index(text)]
        start = text.index(f"{view.number} {name}".strip())
        content = content.stylize(_click(f"view_{view.name}"), start - 1, start + len(f"{view.number} {name}"))
    return content.stylize("bold reverse", text.index("["), text.index("]") + 1)


def _bar(names: list[str], current: Entry) -> str:
    """Return the bar as text; every name keeps its place, whichever is the current one.

    A stroke parts the views of the one plan from those of all.
    """
    text = ""
    for view, name in zip(VIEWS, names, strict=True):
        left, right = ("[", "]") if view is current else (" ", " ")
        parted = view.number > 1 and view.of_plan != VIEWS[view.number - 2].of_plan
        text += f"{'|' * parted}{left}{f'{view.number} {name}'.strip()}{right}"
    return text


def header(name: str, question: str, badge: str, width: int) -> Content:
    """Return the header: the program, the plan, its question, and at the right end what runs."""
    left = "  ".join(part for part in ("fleettui", name, question) if part)
    room = width - (len(badge) + 2 if badge else 0)
    if cell_len(left) > room:
        left = set_cell_size(left, max(room - 1, 0)) + "…"
    return Content(set_cell_size(left, room) + (f"  {badge}" if badge else "")).stylize("bold", 0, len("fleettui"))


def _click(verb: str) -> Style:
    """Return the style of what does a verb when it is clicked."""
    return Style.from_meta({"@click": f"app.do('{verb}')"})


def clickable(entries: Mapping[str, str]) -> Content:
    """Return `key word  key word`, as `words` does, where each does its verb when it is clicked."""
    content, start = words("  ".join(entries.values())), 0
    for verb, entry in entries.items():
        content = content.stylize(_click(verb), start, start + len(entry))
        start += len(entry) + len("  ")
    return content


def words(text: str) -> Content:
    """Return `key word  key word` with each key bold."""
    content, start = Content(text), 0
    for entry in text.split("  "):
        content = content.stylize("bold", start, start + len(entry.split(" ", maxsplit=1)[0]))
        start += len(entry) + 2
    return content
