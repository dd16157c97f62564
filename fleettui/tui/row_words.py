"""Which rows of a list hold the words that are typed: all of them, anywhere in the row, whatever the case."""

from __future__ import annotations

from collections.abc import Iterable

NO_ROW = "No row has {}.  esc clears the filter"


def has_words(cells: Iterable[str], words: str) -> bool:
    """Return whether every one of `words` stands somewhere in the cells of a row.

    >>> has_words(("a23f", "H100 tp2 x15"), "h100 TP2"), has_words(("a23f", "H100 tp2 x15"), "a100")
    (True, False)
    """
    row = " ".join(cells).lower()
    return all(word in row for word in words.lower().split())
