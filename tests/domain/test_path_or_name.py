import pytest

from fleettui.domain.path_or_name import GPU_FILE, MODEL_FILE, is_path


@pytest.mark.parametrize("text", ["./x", "a/b", "a\\b", "/x", "x.toml", ".toml"])
def test_a_separator_or_the_suffix_makes_a_path(text: str) -> None:
    assert is_path(text, GPU_FILE)


@pytest.mark.parametrize("text", ["h100", "llama-3.1-70b", "x.json", "toml", ""])
def test_anything_else_is_a_name(text: str) -> None:
    assert not is_path(text, GPU_FILE)
    assert is_path("x.json", MODEL_FILE)
