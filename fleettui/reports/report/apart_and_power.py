"""Whether prefill and decode apart pay, and what less power leaves of the fleet, from the newest studies of them."""

from __future__ import annotations

from fleettui.reports.report.model import Kept, Section
from fleettui.reports.report.study_section import study_section

TITLES = {"disagg": "Prefill and decode apart", "power": "On less power"}
"""Sections by the kind of their study."""
MOST_SAID = 4
"""Sentences of a study that a page has room for."""


def apart_and_power(kept: Kept) -> tuple[Section, ...]:
    """Return a section for each such study that is kept, with its table of fleets or of levels."""
    found = ((title, kept.study(kind)) for kind, title in TITLES.items())
    return tuple(study_section(study, title, MOST_SAID) for title, study in found if study is not None)
