"""The help of every view: what it answers, and each of its keys."""

import pytest

from fleettui.tui import keys, tabs
from fleettui.tui.modals.help import help_text


@pytest.mark.parametrize("number", range(1, len(keys.VIEW_KEYS) + 1))
def test_every_key_of_the_view_is_explained_and_no_other(number: int) -> None:
    view = tabs.make(number)
    found = help_text(view).split("\n")
    assert found[0] == f"{number}  {view.question}"
    said = {tuple(line.split("  ", maxsplit=1)) for line in found if "  " in line}
    told = {(key.strip(), words.strip()) for key, words in said}
    for key in keys.KEYS:
        assert ((key.shown, key.help) in told) == key.works_in(number), key.verb


@pytest.mark.parametrize("number", range(1, len(keys.VIEW_KEYS) + 1))
def test_a_key_is_a_line_at_80_columns_and_the_view_answers_a_question(number: int) -> None:
    question, keys_of_view, words = help_text(tabs.make(number)).split("\n\n")
    assert question.endswith("?")
    assert max(map(len, (question, *keys_of_view.split("\n")))) <= 78, "the page has a border"
    assert "NOT PROVEN" in words
