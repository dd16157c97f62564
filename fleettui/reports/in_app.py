"""What a sentence advises, as the app has it: a sentence is kept with options, and there the question has keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.study import Study, StudyTable
from fleettui.reports.text_page import Item

EDIT = "(e)"
"""The key that edits the question."""
COMMAND, PART, ASKED = "fleettui ", "; ", "asked"
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)")


def in_app(text: str) -> str:
    """Return a sentence with the keys of the question in the place of their options, and the key that edits them.

    An option that is none of them or is in a command stays; one that it begins with is what it is about, and no advice.

    >>> in_app("a budget of 16,384: 2 GPUs fewer, --token-budget 16384; fleettui why 41a7 says more")
    'a budget of 16,384: 2 GPUs fewer, token-budget 16384 (e); fleettui why 41a7 says more'
    >>> in_app("by the catalogue; --front-end gives yours")
    'by the catalogue; front-end gives yours (e)'
    >>> in_app("--tp: not a number"), in_app("fleettui check q.yaml --rate 3/s"), in_app("with --runs 5")
    ('tp: not a number', 'fleettui check q.yaml --rate 3/s', 'with --runs 5')
    """
    if "--" not in text:
        return text
    first, *others = text.split(PART)
    return PART.join((_part(first, is_about=text.startswith("--")), *map(_part, others)))


def _part(text: str, *, is_about: bool = False) -> str:
    from fleettui.reports.question.keys import BY_NAME

    if COMMAND in text:
        return text
    told = _OPTION.sub(lambda found: found[1] if found[1] in BY_NAME else found[0], text)
    return told if told == text or is_about else f"{told} {EDIT}"


def items_in_app(items: Sequence[Item]) -> list[Item]:
    """Return lines of a page as the app has them; its tables and what was asked stay."""
    return [_item(one) for one in items]


def _item(item: Item) -> Item:
    if isinstance(item, str):
        return in_app(item)
    if not isinstance(item, tuple) or item[0].startswith(ASKED):
        return item
    return item[0], in_app(item[1])


def study_in_app(study: Study) -> Study:
    """Return a study with what it advises as the app has it; what was asked stays."""
    return replace(
        study,
        sentences=tuple(map(in_app, study.sentences)),
        tables=tuple(map(_table, study.tables)),
        warnings=tuple(map(in_app, study.warnings)),
    )


def _table(table: StudyTable) -> StudyTable:
    rows = (tuple(in_app(cell) if isinstance(cell, str) else cell for cell in row) for row in table.rows)
    return replace(table, rows=tuple(rows), note=in_app(table.note))
