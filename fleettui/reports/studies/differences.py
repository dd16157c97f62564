"""Alternatives beside one of them over the same requests: what a difference shows, and a table of a figure of each."""

from __future__ import annotations

from collections.abc import Iterable

from fleettui.domain.plan import Estimate
from fleettui.domain.study import Quantity, StudyTable, table_of

OWN, NOT_PROVEN = "the plan's", "not proven"
HELD = {"pass": "holds", "fail": "fails"}
"""What a verdict says of a limit; any other is NOT_PROVEN."""


def change_words(change: Estimate, more: str, less: str) -> str:
    """Return what a difference shows, where its interval leaves out 0.

    >>> change_words(Estimate(value=2.0, low=1.0, high=3.0), "dearer", "cheaper")
    'dearer'
    >>> change_words(Estimate(value=-2.0, low=-5.0, high=1.0), "dearer", "cheaper")
    'not proven'
    """
    if change.low is None or change.high is None or change.low <= 0.0 <= change.high:
        return NOT_PROVEN
    return more if change.low > 0.0 else less


def difference_table(
    title: str,
    rows: Iterable[tuple[str, Estimate, Estimate]],
    *,
    of: str,
    own: str,
    figure: tuple[str, Quantity],
    words: tuple[str, str],
    shown: str = "it_is",
    before: str = "",
    after: str = "",
) -> StudyTable:
    """Return the table of a figure: of each alternative by its name the value, and its difference to `own`.

    `of` is what the alternatives are, `words` what more and less of the figure are, told in the column `shown`; the
    note says how differences are known, with other words `before` and `after`.
    """
    name, quantity = figure
    return table_of(
        title,
        rows,
        (of, "text", lambda row: row[0]),
        (name, quantity, lambda row: row[1].value),
        ("low", quantity, lambda row: row[1].low),
        ("high", quantity, lambda row: row[1].high),
        ("change", quantity, lambda row: None if row[0] == own else row[2].value),
        ("from", quantity, lambda row: None if row[0] == own else row[2].low),
        ("to", quantity, lambda row: None if row[0] == own else row[2].high),
        (shown, "text", lambda row: OWN if row[0] == own else change_words(row[2], *words)),
        note=f"{before}the change to {own} run by run, ends of 95 % intervals; {NOT_PROVEN} where it may be 0{after}",
    )
