"""What is said of the server of a file of runs."""

import pytest

from fleettui.domain.validation import Setup
from fleettui.errors import InputError, UnknownNameError
from fleettui.reports.question.run_setup import read_setup


def test_words_are_read_and_empty_ones_are_not_said() -> None:
    said = {"model": "llama-3.1-8b", "gpu": "H100", "engine": "vllm", "dtype": "fp8", "tp": "2"}
    assert read_setup(said) == Setup(model="llama-3.1-8b", gpu="h100", engine="vllm", dtype="fp8", tp=2)
    assert read_setup({"model": None, "gpu": ""}) == Setup()


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        read_setup({"colour": "red"})
    with pytest.raises(InputError, match="--tp: unknown word"):
        read_setup({"tp": "3"})
    for word, value, near in (("gpu", "h10", "h100"), ("model", "llama-3.1-7b", "llama-3.1-70b")):
        with pytest.raises(InputError, match=rf"--{word}: unknown \w+ \(got '{value}'\)") as caught:
            read_setup({word: value})
        assert f"did you mean {near}?" in str(caught.value)
    with pytest.raises(InputError, match=r"none\.toml"):
        read_setup({"gpu": "./none.toml"})
