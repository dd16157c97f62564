"""Tell a kept plan on one page, for whoever decides: everything that the store holds of it goes in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fleettui.planning.kept_inputs import was_given
from fleettui.planning.kept_plan import KeptPlan
from fleettui.reports.report.build import report
from fleettui.reports.report.model import Kept, Report
from fleettui.reports.report.page import report_html
from fleettui.reports.report.text import report_markdown, report_text
from fleettui.reports.table import WIDTH

if TYPE_CHECKING:
    from store import Store

SUFFIXES: Mapping[str, str] = {".html": "html", ".htm": "html", ".md": "md", ".txt": "text"}
"""The formats by the ends of a file's name."""


def report_plan(store: Store, ref: str) -> Report:
    """Return the page on the plan that `ref` names; raises InputError when there is none."""
    return report(kept_plan(store, ref))


def written(page: Report, format: str, width: int = WIDTH) -> str:
    """Return a page in a format of `SUFFIXES`; `width` is that of text."""
    if format == "text":
        return report_text(page, width)
    return report_html(page) if format == "html" else report_markdown(page)


def kept_plan(store: Store, ref: str) -> Kept:
    """Return all that is kept of the plan that `ref` names; raises InputError when there is none."""
    kept = KeptPlan.of(store, ref)
    return Kept(
        answer=kept.answer,
        scenario=kept.scenario,
        workload=kept.workload,
        profiles=kept.profiles,
        provenance=store.provenance(kept.id),
        studies=tuple(store.studies(store.count_studies(kept.id), kept.id)),
        finished=kept.finished,
        given=was_given(store, kept.id),
    )
