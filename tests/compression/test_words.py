from hypothesis import example, given
from hypothesis import strategies as st

from fleettui.compression.sentences import words_of
from fleettui.compression.words import words_in

TEXTS = st.lists(
    st.one_of(
        st.text(st.characters(max_codepoint=127)),
        st.text(st.sampled_from("aAb01_.:,;' ")),
        st.text(st.sampled_from("aé’Ж_.9 ")),
    ),
    max_size=6,
)


@given(TEXTS)
@example(["Naïve Привет", "naïve", "Naive привет don't", ""])
def test_words_are_those_of_the_library_each_with_a_number_of_its_own(texts: list[str]) -> None:
    numbers, rows = words_in(texts)
    expected = [(word, place) for place, text in enumerate(texts) for word in words_of(text)]
    found = sorted(zip(rows.tolist(), range(len(rows)), numbers.tolist(), strict=True))
    assert [row for row, _, _ in found] == [place for _, place in expected]
    pairs = {(word, number) for (word, _), (_, _, number) in zip(expected, found, strict=True)}
    assert len(pairs) == len({word for word, _ in pairs}) == len({number for _, number in pairs})


def test_words_of_sixty_four_letters_that_differ_in_one_have_numbers_that_differ_above() -> None:
    """A table keeps the upper bits alone."""
    words = ["a" * place + "b" + "a" * (63 - place) for place in range(64)]
    assert len({number >> 24 for number in words_in(words)[0].tolist()}) == 64
