"""Text and tables as Markdown that shows them as they are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fleettui.reports.table import Table

_SIGNS = re.compile(r"([\\`*_\[\]|])")


def plain(text: str) -> str:
    """Return `text` so that Markdown shows it as it is, on one line.

    >>> plain("a_b <i> | c")
    'a\\\\_b &lt;i> \\\\| c'
    """
    line = " ".join(text.split())
    return _SIGNS.sub(r"\\\1", line.replace("&", "&amp;").replace("<", "&lt;"))


def piped(cells: Sequence[str]) -> str:
    """Return cells, which are Markdown, as a row of a table.

    >>> piped(["a", "b"])
    '| a | b |'
    """
    return f"| {' | '.join(cells)} |"


def table_markdown(table: Table) -> str:
    """Return a table with its title above and its note below."""
    rule = ["---:" if column.align == "right" else "---" for column in table.columns]
    rows = [piped([plain(column.title) for column in table.columns]), piped(rule)]
    rows += [piped(list(map(plain, row))) for row in table.rows]
    return "\n\n".join(filter(None, (plain(table.title), "\n".join(rows), plain(table.note))))
