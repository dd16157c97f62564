"""Which inputs of a plan are not what they were: as text, as Markdown and as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fleettui.domain.serialization import to_plain
from fleettui.reports.input_changes import Change
from fleettui.reports.markdown import plain
from fleettui.reports.table import WIDTH
from fleettui.reports.text_page import text_page

HEAD, NONE = "what changed:", "no input differs; what does is the program's or the proof's"


def changes_text(changes: Sequence[Change], width: int = WIDTH) -> str:
    """Return one line a change under a head, or that there is none.

    >>> print(changes_text([Change(kind="price", name="H100", before="$2.95/h", after="$3.10/h")]))
    what changed:
    - the catalogue's price of H100: $2.95/h -> $3.10/h
    """
    return text_page([[HEAD, *(("- ", change.text) for change in changes)] if changes else [NONE]], width)


def changes_markdown(changes: Sequence[Change]) -> str:
    """Return the same as Markdown."""
    return "\n".join([f"{HEAD}\n", *(f"- {plain(change.text)}" for change in changes)]) if changes else NONE


def changes_data(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Return each change as data, with its words."""
    return [{**to_plain(change), "text": change.text} for change in changes]
