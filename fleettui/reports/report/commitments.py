"""What we commit to: how the fleet's GPUs are paid for over the years, from the newest study of money."""

from __future__ import annotations

from fleettui.reports.report.model import Kept, Section, sentence
from fleettui.reports.study_tables import study_table

TITLE = "What we commit to"
SHOWN = (
    "ways to pay",
    "what to commit to",
    "prices",
    "US dollars for",
    "by class of service",
    "beside the GPUs",
    "to buy or to rent",
)
"""How the titles of the tables begin that the page has."""


def commitments(kept: Kept) -> tuple[Section, ...]:
    """Return what to commit to, at which prices of which class and date; nothing where no money was studied."""
    study = kept.study("money")
    if study is None:
        return ()
    tables = tuple(study_table(one) for one in study.tables if one.title.startswith(SHOWN))
    told = tuple(map(sentence, (*study.sentences, *study.warnings)))
    return (Section(title=TITLE, sentences=told, tables=tables),)
