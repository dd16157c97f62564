"""The help of every view: what it answers, and each of its keys."""

import pytest

from fleettui.tui import keys, tabs
from fleettui.tui.modals.help import help_text


@pytest.mark.parametrize("entry", tabs.VIEWS, ids=lambda entry: entry.name)
def test_every_key_of_the_view_is_explained_and_no_other(entry: tabs.Entry) -> None:
    view = tabs.make(entry.name)
    found = help_text(view).split("\n")
    assert found[0] == f"{entry.number}  {entry.question}"
    said = {tuple(line.split("  ", maxsplit=1)) for line in found if "  " in line}
    told = {(key.strip(), words.strip()) for key, words in said}
    for key in keys.KEYS:
        assert ((key.shown, key.help) in told) == (key in keys.keys_of(entry.name)), key.verb


@pytest.mark.parametrize("entry", tabs.VIEWS, ids=lambda entry: entry.name)
def test_a_key_is_a_line_at_80_columns_and_the_view_answers_a_question(entry: tabs.Entry) -> None:
    question, keys_of_view, words = help_text(tabs.make(entry.name)).split("\n\n")
    assert question.endswith("?")
    assert max(map(len, (question, *keys_of_view.split("\n")))) <= 78, "the page has a border"
    assert "NOT PROVEN" in words
