"""What bursts and failures do to the fleet, from the newest studies of them."""

from __future__ import annotations

from fleettui.reports.burst_text import burst_charts
from fleettui.reports.report.model import Kept, Section
from fleettui.reports.report.study_section import study_section


def bursts(kept: Kept) -> tuple[Section, ...]:
    """Return what was played: a window with more traffic, and replicas that are down; nothing where nothing was."""
    titles = {"burst": "When more comes", "failures": "When replicas fail"}
    question, found = kept.scenario.question, []
    for kind, title in titles.items():
        study = kept.study(kind)
        if study is not None:
            charts = burst_charts(study, question) if kind == "burst" else ()
            found.append(study_section(study, title, charts=charts))
    return tuple(found)
