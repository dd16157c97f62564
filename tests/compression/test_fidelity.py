import pytest

from fleettui.compression.compressor import Outcome, Piece
from fleettui.compression.fidelity import fidelity


def outcome(texts: list[str], kept: tuple[int, ...]) -> Outcome:
    return Outcome(category="prose", pieces=tuple(Piece(text, False) for text in texts), kept=kept, tokens=1)


def test_what_is_kept_whole_has_lost_nothing() -> None:
    found = fidelity(outcome(["one two. ", "three four. "], (0, 1)))
    assert found.rouge_recall == 1.0
    assert found.cosine == pytest.approx(1.0)


def test_recall_is_the_share_of_words_and_unlike_halves_are_at_right_angles() -> None:
    found = fidelity(outcome(["one two three. ", "four. "], (0,)))
    assert found.rouge_recall == 0.75
    assert found.cosine == pytest.approx((3 / 4) ** 0.5)


def test_repetition_costs_no_likeness() -> None:
    assert fidelity(outcome(["one two. ", "one two. "], (0,))).cosine == pytest.approx(1.0)


def test_a_prompt_without_words_has_lost_none() -> None:
    found = fidelity(outcome(["...", "!"], (0,)))
    assert (found.rouge_recall, found.cosine) == (1.0, 1.0)
