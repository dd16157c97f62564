import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.domain.compressor_settings import Settings, Weights
from fleettui.errors import InputError
from fleettui.reports.compressor_settings import WEIGHTS, read_settings, settings_words

WEIGHT = st.integers(0, 1000).map(lambda value: value / 100)


@given(st.builds(Weights, textrank=WEIGHT, position=WEIGHT, tfidf=WEIGHT, novelty=WEIGHT.map(lambda one: one + 0.01)))
def test_what_is_told_asks_for_it_again(weights: Weights) -> None:
    settings = Settings(weights=weights, first=0, last=7)
    told = dict(words.split() for words in settings_words(settings))
    assert read_settings(told.get("--weights"), told["--keep-first"], told["--keep-last"]) == settings


def test_what_is_not_said_is_so_by_default() -> None:
    assert read_settings(None, None, None) == read_settings(WEIGHTS, "3", "2") == Settings()
    assert list(settings_words(Settings())) == []
    assert read_settings("position=1", None, None).weights == Weights(position=1.0)


@pytest.mark.parametrize(
    ("weights", "first", "words"),
    [
        ("length=1", None, "no weight"),
        ("position=1,position=2", None, "twice"),
        ("position", None, "--weights"),
        ("position=-1", None, "--weights"),
        ("textrank=0,position=0,tfidf=0,novelty=0", None, "every weight is 0"),
        (None, "-1", "--keep-first"),
        (None, "1.5", "--keep-first"),
    ],
)
def test_what_are_no_settings_is_refused(weights: str | None, first: str | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_settings(weights, first, None)
