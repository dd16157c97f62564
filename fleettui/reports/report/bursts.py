"""What bursts and failures do to the fleet, from the newest studies of them."""

from __future__ import annotations

from fleettui.reports.burst_text import burst_charts
from fleettui.reports.report.model import Kept, Section, sentence
from fleettui.reports.study_tables import study_table


def bursts(kept: Kept) -> tuple[Section, ...]:
    """Return what was played: a window with more traffic, and replicas that are down; nothing where nothing was."""
    titles = {"burst": "When more comes", "failures": "When replicas fail"}
    question, found = kept.scenario.question, []
    for kind, title in titles.items():
        study = kept.study(kind)
        if study is not None:
            told = tuple(map(sentence, study.sentences))
            charts = burst_charts(study, question) if kind == "burst" else ()
            found.append(Section(title=title, sentences=told, tables=(study_table(study.tables[0]),), charts=charts))
    return tuple(found)
