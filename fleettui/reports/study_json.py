"""A study as the JSON of schema 1: SI units, null where undefined; keys may be added, never renamed."""

from __future__ import annotations

from typing import Any

from fleettui.domain.study import Study
from fleettui.reports.plan_json import envelope

IDENTITY = ("id", "handle", "kind", "title", "question", "plan", "seed", "engine_version", "created")


def study_json(study: Study, command: str) -> dict[str, Any]:
    """Return `study` as the object that its command and `show --json` print; published tables hold cells, not rows.

    A joint plan's has its verdict too.
    """
    title, rows = ("table", "cells") if study.kind == "published" else ("title", "rows")
    tables = [{title: table.title, "note": table.note, rows: table.records()} for table in study.tables]
    found = envelope(
        command, study=study_line(study), sentences=study.sentences, tables=tables, warnings=study.warnings
    )
    return found if study.verdict is None else found | {"verdict": study.verdict}


def study_line(study: Study) -> dict[str, Any]:
    """Return what a list says of a study; `plan` is its plan's id, null where it has none."""
    return {name: getattr(study, name) for name in IDENTITY} | {"plan": study.plan or None}
