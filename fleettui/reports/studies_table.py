"""The list of studies as a table and as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fleettui.domain.study import STUDY_KINDS, Study
from fleettui.reports import units
from fleettui.reports.study_json import study_line
from fleettui.reports.table import Head, Table

KIND_WORDS = {"whatif": "what-if"}
"""Kinds that are written otherwise on a screen."""
HANDLE, MADE = 5, 11
"""Characters that a handle and a time have room for in every list, so that one page of it lines up with the next."""

Listed = tuple[Study, str]
"""A study and its plan's handle."""


def studies_table(studies: Iterable[Listed]) -> Table:
    """Return one row per study, in the order given; its columns stand where they stand in every other list.

    A title that begins with the plan's handle, which stands beside it, is told without.
    """
    kinds = max(len(KIND_WORDS.get(kind, kind)) for kind in STUDY_KINDS)
    columns = (
        Head(title="study", least=HANDLE),
        Head(title="made (UTC)", least=MADE),
        Head(title="kind", least=kinds),
        Head(title="plan", least=HANDLE),
        Head(title="title", wrap=True),
    )
    rows = tuple(
        (study.handle, made(study), kind_words(study), plan or units.UNDEFINED, study.title.removeprefix(f"{plan}: "))
        for study, plan in studies
    )
    return Table(columns=columns, rows=rows)


def studies_json(studies: Iterable[Listed]) -> list[dict[str, Any]]:
    """Return what `list --studies --json` says of each study."""
    return [study_line(study) | {"plan_handle": plan or None} for study, plan in studies]


def kind_words(study: Study) -> str:
    """Return a study's kind as it is written on a screen."""
    return KIND_WORDS.get(study.kind, study.kind)


def made(study: Study) -> str:
    """Return when a study was made, by month and day.

    >>> made(Study(kind="steps", title="t", question="q", created="2026-11-21T20:51:01.000Z"))
    '11-21 20:51'
    """
    return study.created[5:16].replace("T", " ")
