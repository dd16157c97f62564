"""A section of a plan's page from a study of it."""

from __future__ import annotations

from fleettui.domain.study import Study
from fleettui.reports.chart import Chart
from fleettui.reports.report.model import Section, sentence
from fleettui.reports.study_tables import study_table


def study_section(study: Study, title: str, most: int | None = None, charts: tuple[Chart, ...] = ()) -> Section:
    """Return a study's sentences, at most so many, its first table, and charts."""
    told = tuple(map(sentence, study.sentences[:most]))
    return Section(title=title, sentences=told, tables=(study_table(study.tables[0]),), charts=charts)
