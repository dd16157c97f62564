"""Text as a terminal may show it: what would move the cursor, change colours or turn the line around is written out."""

from __future__ import annotations

import re

from fleettui.errors import InputError

UNSEEN = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
"""Control characters but for tab and line end, signs that change the direction of writing, halves of characters."""
_HALVES = "[\ud800-\udfff]"


def check_text(text: str, where: str | None = None) -> None:
    """Raise InputError for bytes that are no UTF-8 and for halves of characters, neither of which can be kept."""
    if re.search(_HALVES, text):
        raise InputError("this is no text", where=where, value=text, accepted="UTF-8")


def has_unseen(text: str) -> bool:
    """Return whether `text` holds such a character."""
    return not text.isprintable() and re.search(UNSEEN, text) is not None


def visible(text: str) -> str:
    r"""Return `text` with every such character as its number, as JSON writes it.

    >>> print(visible("a\x1b[2J"))
    a\u001b[2J
    """
    return re.sub(UNSEEN, lambda one: f"\\u{ord(one[0]):04x}", text)
