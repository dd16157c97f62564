"""A kept study as a file: its page, its first table, its data, its picture."""

from __future__ import annotations

import json
from typing import Any

from fleettui.domain.study import Study
from fleettui.errors import InputError
from fleettui.planning.studies import picture_of
from fleettui.reports.chart_svg import chart_svg
from fleettui.reports.columns import study_csv
from fleettui.reports.markdown import plain, table_markdown
from fleettui.reports.schema_two import schema_two
from fleettui.reports.study_chart import study_chart
from fleettui.reports.study_tables import study_table
from fleettui.reports.study_text import study_json

FORMATS = ("md", "csv", "json", "svg")


def study_file(study: Study, format: str, schema: int = 1) -> str:
    """Return a study in one of FORMATS, JSON in a schema; raises InputError for another, and where nothing is drawn."""
    if format == "md":
        said = "\n".join(f"- {plain(one)}" for one in study.sentences)
        return "\n\n".join(
            [f"# {plain(study.title)}", said, *(table_markdown(study_table(one)) for one in study.tables)]
        )
    if format == "csv":
        return study_csv(study.tables[0])
    if format == "json":
        return written_json(study_json(study, "export"), schema)
    chart = study_chart(study, picture_of(study.kind)) if format == "svg" else None
    if chart is None:
        what = "this study has no picture" if format == "svg" else "a study is not written so"
        told = [one for one in FORMATS if one != format]
        raise InputError(what, where="--format", value=format, accepted=", ".join(told))
    return chart_svg(chart, study.handle)


def written_json(plain: dict[str, Any], schema: int) -> str:
    """Return what a file with JSON in a schema has of data in the first one."""
    found = plain if schema == 1 else schema_two(plain)
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)
