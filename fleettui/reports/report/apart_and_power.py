"""Whether prefill and decode apart pay, and what less power leaves of the fleet, from the newest studies of them."""

from __future__ import annotations

from fleettui.reports.report.model import Kept, Section, sentence
from fleettui.reports.study_tables import study_table

TITLES = {"disagg": "Prefill and decode apart", "power": "On less power"}
"""Sections by the kind of their study."""
MOST_SAID = 4
"""Sentences of a study that a page has room for."""


def apart_and_power(kept: Kept) -> tuple[Section, ...]:
    """Return a section for each such study that is kept: its first sentences, and its table of fleets or of levels."""
    found = ((title, kept.study(kind)) for kind, title in TITLES.items())
    return tuple(
        Section(
            title=title,
            sentences=tuple(map(sentence, study.sentences[:MOST_SAID])),
            tables=(study_table(study.tables[0]),),
        )
        for title, study in found
        if study is not None
    )
