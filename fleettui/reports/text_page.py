"""A printed page: blocks of lines and tables, wrapped to the width there is."""

from __future__ import annotations

from collections.abc import Iterable

from fleettui.reports.table import WIDTH, Table, render, wrap

MARGIN = 8
"""Characters of the label that begins a line."""

Line = tuple[str, str]
"""What begins a line, and the text after it, which stays as far from the edge where it takes several lines."""
Item = str | Line | Table
Pair = tuple[str, str]


def text_page(blocks: Iterable[Iterable[Item]], width: int = WIDTH) -> str:
    """Return blocks in lines of at most `width` characters, an empty line between them; empty blocks are left out.

    >>> print(text_page([["one two three"], [], fact("why", "so that")], 12))
    one two
    three
    <BLANKLINE>
    why     so
            that
    """
    told = (lines(block, width) for block in blocks)
    return "\n\n".join("\n".join(one) for one in told if one)


def lines(items: Iterable[Item], width: int = WIDTH) -> list[str]:
    """Return items as lines of at most `width` characters."""
    return [line for item in items for line in _lines(item, width)]


def _lines(item: Item, width: int) -> list[str]:
    if isinstance(item, Table):
        return render(item, width).splitlines()
    begin, text = ("", item) if isinstance(item, str) else item
    return wrap(text, width, begin)


def fact(label: str, text: str) -> list[Line]:
    """Return a text after its label in the margin; nothing for an empty text."""
    return [(label.ljust(MARGIN), text)] if text else []


def few_names(names: Iterable[str], most: int = 3) -> str:
    """Return the first names, and how many others there are: a warning is one line.

    >>> few_names(["a", "b"]), few_names(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 others')
    """
    found = list(names)
    others = len(found) - most
    return ", ".join(found) if others < 2 else f"{', '.join(found[:most])} and {others} others"


def warned(warnings: Iterable[str]) -> list[Line]:
    """Return warnings, each after a `!`."""
    return [("! ", warning) for warning in warnings]


def details(head: str, pairs: Iterable[Pair], width: int = WIDTH) -> str:
    """Return `head` and, under it, each label with its text; an empty text is left out.

    >>> print(details("h100", [("memory", "80 GB"), ("spare", "")]))
    h100
      memory  80 GB
    """
    return text_page([[head, *_labelled(pairs)]], width)


def labelled(pairs: Iterable[Pair], width: int = WIDTH) -> str:
    """Return the lines of `details` below its head."""
    return text_page([_labelled(pairs)], width)


def _labelled(pairs: Iterable[Pair]) -> list[Item]:
    kept = [(label, text) for label, text in pairs if text]
    margin = max((len(label) for label, _ in kept), default=0) + 2
    return [(f"  {label.ljust(margin)}", text) for label, text in kept]
