import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.compression.sentences import sentences_of, words_of


@given(st.text())
def test_no_character_is_lost_but_line_ends_within_a_sentence(text: str) -> None:
    assert "".join(sentences_of(text)).replace("\n", " ") == text.replace("\n", " ")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("... ", 1),
        ("One is here. Two is there! Is three?", 3),
        ("人工知能は道具である。知能を研究する。", 2),
        ("Это первое. Это второе.", 2),
        ("हम यहाँ हैं। वे वहाँ हैं।", 2),
        ("A line that an editor has wrapped after some\nforty characters is one sentence.", 1),
        ("A heading\n\nAnd what stands below.", 2),
    ],
)
def test_sentences_end_where_unicode_says(text: str, count: int) -> None:
    assert len(sentences_of(text)) == count


def test_words_of_scripts_without_spaces_are_told_apart() -> None:
    assert len(words_of("人工知能")) == 4
