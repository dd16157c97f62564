"""What a sentence advises, as the app has it: a sentence is kept with options, and there the question has keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fleettui.domain.study import Study, StudyTable
from fleettui.errors import FleettuiError
from fleettui.reports.text_page import Item

COMMAND, PART, ASKED = "fleettui ", "; ", "asked"
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)")


def in_app(text: str) -> str:
    """Return a sentence with the keys of the question, as they are edited in the app, in the place of their options.

    Other options stay, and those of a command.

    >>> in_app("a budget of 16,384: 2 GPUs fewer, --token-budget 16384; fleettui plan --rate 3/s")
    'a budget of 16,384: 2 GPUs fewer, token-budget 16384; fleettui plan --rate 3/s'
    >>> in_app("a whole run: --runs 5")
    'a whole run: --runs 5'
    """
    return PART.join(map(_part, text.split(PART))) if "--" in text else text


def refusal_in_app(error: FleettuiError) -> str:
    """Return a refusal as the app has it: the question's keys in the place of their options.

    >>> from fleettui.errors import InputError
    >>> refusal_in_app(InputError("this takes no heads", remedy="add --token-budget 8192, or leave out --tp"))
    'this takes no heads\\n  do: add token-budget 8192, or leave out tp'
    """
    return "\n".join(map(in_app, str(error).splitlines()))


def _part(text: str) -> str:
    from fleettui.reports.question.keys import BY_NAME

    if COMMAND in text:
        return text
    return _OPTION.sub(lambda found: found[1] if found[1] in BY_NAME else found[0], text)


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
