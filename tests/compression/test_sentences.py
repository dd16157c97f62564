import pytest
from hypothesis import given
from hypothesis import strategies as st
from unicode_segmentation_rs import unicode_sentences

from fleettui.compression.sentences import sentences_of, words_of
from tests.repeated import CHARACTERS

ASCII = st.one_of(st.text(st.characters(max_codepoint=127)), st.text(st.sampled_from("aA0 .!?\"',-;:)\n\r\t")))


@given(st.text(CHARACTERS))
def test_no_character_is_lost_but_line_ends_within_a_sentence(text: str) -> None:
    assert "".join(sentences_of(text)).replace("\n", " ") == text.replace("\n", " ")


def by_library(text: str) -> list[str]:
    """Sentences by the library, each with what says nothing behind it, those of fewer than two words with the next."""
    places, end = [], 0
    for sentence in unicode_sentences(text):
        places.append(text.index(sentence, end))
        end = places[-1] + len(sentence)
    found, begun = [], 0
    for place in [*places, len(text)]:
        if place == len(text) or (place and (place - begun >= 24 or len(words_of(text[begun:place])) >= 2)):
            found.append(text[begun:place])
            begun = place
    return [one for one in found if one]


@given(ASCII, st.one_of(st.just(""), st.text(CHARACTERS).map("\nИ так далее. {}".format)))
def test_lines_of_ascii_alone_end_their_sentences_where_the_library_does(text: str, other: str) -> None:
    not_wrapped = "\n\n".join((text + other).split("\n"))
    assert sentences_of(not_wrapped) == by_library(not_wrapped)


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
