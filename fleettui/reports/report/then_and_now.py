"""An earlier plan beside the one of the page: what was asked otherwise, the figures of both, and what made them so."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.reports import moments
from fleettui.reports.comparison.model import Cell, Compared, Row
from fleettui.reports.report.model import Kept, Section, Then, sentence
from fleettui.reports.table import Head, Table

TITLE = "Then and now"
ALWAYS = frozenset({"fleet", "cost", "verdict"})
"""Rows that are told whether they differ or not."""


def then_and_now(kept: Kept) -> tuple[Section, ...]:
    """Return the section with the earlier plan, nothing where the page is not held to one."""
    if kept.then is None:
        return ()
    told = (*kept.then.comparison.sentences, *map(sentence, _why(kept.then)))
    return (Section(title=TITLE, sentences=told, tables=(_figures(kept.then),)),)


def _why(then: Then) -> Iterator[str]:
    """Yield what each input that changed adds, or where that is not worked out, which they are."""
    if then.causes:
        yield f"what each input adds: {'; '.join(then.causes)}"
        return
    if not then.changes:
        yield "no input differs; what does is the program's or the proof's"
        return
    yield f"what changed: {'; '.join(change.text for change in then.changes)}"
    before, now = then.comparison.plans
    if not before.file and not now.file:
        yield f"what each adds: fleettui diff {before.handle} {now.handle}"


def _figures(then: Then) -> Table:
    before, now = then.comparison.plans
    columns = (
        Head(title=""),
        Head(title=f"then: {_named(before)}", wrap=True),
        Head(title=f"now: {_named(now)}", wrap=True),
    )
    asked = [row for row in then.comparison.rows if row.section == "inputs" and row.differs]
    rows = [row for row in then.comparison.rows if row.section == "results"]
    told = tuple(_line(row) for row in (*asked, *(row for row in rows if row.differs or row.label in ALWAYS)))
    return Table(columns=columns, rows=told)


def _named(plan: Compared) -> str:
    identity = plan.answer.plan
    return f"{identity.full_name}, {moments.minute(identity.created)[:10]}"


def _line(row: Row) -> tuple[str, str, str]:
    before, now = row.cells
    return row.label, before.text, _told(now)


def _told(cell: Cell) -> str:
    return "  ".join(filter(None, (cell.text, f"{cell.changed} {cell.word}".strip())))
