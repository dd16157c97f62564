"""Some lines of text as they are, verdicts in their colour, in signs that the terminal has."""

from __future__ import annotations

import re

from textual.content import Content
from textual.widgets import Static

from fleettui.reports.verdict_words import NOMINAL

HEADS = "cost|prices|limits|proof|model|stock|sure|input|why|demand|question"
"""Words that begin a line."""
STYLES = (
    (re.compile(rf"\bPASS\b(?! {NOMINAL})|\bpass\b"), "bold $success"),
    (re.compile(rf"\bPASS {NOMINAL}\b"), "bold $warning"),
    (re.compile(r"\bFAIL\b|\bINFEASIBLE\b|\bfail\b"), "bold $error"),
    (re.compile(r"\bNOT PROVEN\b|\bunproven\b"), "bold $warning"),
    (re.compile(rf"^(?:(?:{HEADS})\b|pool .*|! .*)", re.MULTILINE), "bold"),
    (re.compile(r"^(?:--|==) .* (?:-+|=+)$", re.MULTILINE), "bold"),
)


class Text(Static):
    """Shows text without markup; nothing is drawn where it is what it was."""

    DEFAULT_CSS = "Text.empty { display: none; }"

    def __init__(self, *, id: str) -> None:
        super().__init__("", id=id, markup=False, classes="empty")
        self._text = ""

    def show(self, text: str) -> None:
        """Show `text`; an empty one takes no line."""
        if text == self._text:
            return
        self._text = text
        self.set_class(not text, "empty")
        self.update(self.app.skinned(styled(text)))  # type: ignore[attr-defined]

    @property
    def text(self) -> str:
        """What is shown."""
        return self._text


def styled(text: str) -> Content:
    """Return `text` with verdicts and the words that begin a line set off."""
    content = Content(text)
    for pattern, style in STYLES:
        for found in pattern.finditer(text):
            content = content.stylize(style, *found.span())
    return content
