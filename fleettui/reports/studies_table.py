"""The list of studies as a table and as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fleettui.domain.study import Study
from fleettui.reports import moments
from fleettui.reports.columns import Column, table, words
from fleettui.reports.study_text import study_line
from fleettui.reports.table import Table

KIND_WORDS = {"whatif": "what-if"}
"""Kinds that are written otherwise on a screen."""
HANDLE, MADE, KIND = 5, 11, 11
"""Characters that a handle, a time and a kind have room for in every list, so that all of its pages line up."""

Listed = tuple[Study, str]
"""A study and its plan's handle."""


def studies_table(studies: Iterable[Listed]) -> Table:
    """Return one row per study, in the order given; its columns stand where they stand in every other list.

    A title that begins with the plan's handle, which stands beside it, is told without.
    """
    columns: tuple[Column[Listed], ...] = (
        words("study", lambda one: one[0].handle, least=HANDLE),
        words("made (UTC)", lambda one: moments.day_and_minute(one[0].created), least=MADE),
        words("kind", lambda one: kind_words(one[0]), least=KIND),
        words("plan", lambda one: one[1] or None, least=HANDLE),
        words("title", lambda one: one[0].title.removeprefix(f"{one[1]}: "), wrap=True),
    )
    return table(columns, studies)


def studies_json(studies: Iterable[Listed]) -> list[dict[str, Any]]:
    """Return what `list --studies --json` says of each study."""
    return [study_line(study) | {"plan_handle": plan or None} for study, plan in studies]


def kind_words(study: Study) -> str:
    """Return a study's kind as it is written on a screen."""
    return KIND_WORDS.get(study.kind, study.kind)
