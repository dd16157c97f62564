"""What autoscaling would come to over a day, from the newest study of it."""

from __future__ import annotations

from dataclasses import replace

from fleettui.reports.report.model import Kept, Section, sentence
from fleettui.reports.study_tables import study_table

MOST_SAID = 4
"""Sentences of the study that a page has room for."""


def over_the_day(kept: Kept) -> tuple[Section, ...]:
    """Return what each policy on the front costs and keeps, nothing where no day was replayed."""
    study = kept.study("autoscale")
    if study is None:
        return ()
    costs = study.tables[0]
    place = [column.name for column in costs.columns].index("front")
    rows = tuple(row for row in costs.rows if row[place])
    note = f"policies that another beats are left out: fleettui show {study.handle}; {costs.note}"
    table = study_table(replace(costs, rows=rows, note=note))
    return (Section(title="Over a day", sentences=tuple(map(sentence, study.sentences[:MOST_SAID])), tables=(table,)),)
