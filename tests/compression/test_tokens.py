from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.compression.tokens import ByteCounter, FileCounter, counter_of
from fleettui.errors import InputError

A_SEAM = 1.6
"""Tokens that a seam may cost, where two halves of a long word meet."""
ANY = st.text(st.characters(), max_size=200)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tokenizer's file: a token a byte, but for `th`, which is one."""
    models, before, tokenizers = (
        pytest.importorskip(f"tokenizers{part}") for part in (".models", ".pre_tokenizers", "")
    )
    letters = {letter: number for number, letter in enumerate(sorted(before.ByteLevel.alphabet()))}
    made = tokenizers.Tokenizer(models.BPE(vocab={**letters, "th": len(letters)}, merges=[("t", "h")]))
    made.pre_tokenizer = before.ByteLevel(add_prefix_space=False)
    path = tmp_path_factory.mktemp("model") / "tokenizer.json"
    made.save(str(path))
    return str(path)


@given(st.lists(ANY, max_size=5))
def test_bytes_of_parts_add_up_to_those_of_the_whole_but_for_seams(texts: list[str]) -> None:
    counter, whole = ByteCounter(), "".join(texts)
    assert counter.count(whole) <= counter.at_most(whole)
    if whole == whole.encode("utf-8", "replace").decode():  # a pair that was cut in two would have other bytes
        assert counter.at_most(whole) <= sum(counter.each(texts)) + 1.0 + A_SEAM * max(len(texts) - 1, 0)


def test_the_margin_is_above_the_count_and_emoji_take_most() -> None:
    counter = ByteCounter()
    plain = "The quick brown fox jumps over the lazy dog. " * 100
    assert counter.at_most(plain) == pytest.approx(1.08 * counter.count(plain), rel=0.01)
    assert counter.at_most("😀" * 70) == 200


def test_a_tokenizers_own_file_counts_its_tokens(tokenizer: str) -> None:
    counter = counter_of(tokenizer)
    assert counter.count("the path é") == counter.at_most("the path é") == 9
    assert counter.each(["the", "", "\ud800"]) == [2.0, 0.0, 1.0]


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    wrong = tmp_path / "tokenizer.json"
    wrong.write_text('{"model": 1}')
    with pytest.raises(InputError, match=r"is no tokenizer's file"):
        FileCounter(wrong).count("a")
    with pytest.raises(InputError, match="no such file"):
        counter_of(str(tmp_path / "missing.json"))
