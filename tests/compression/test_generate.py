import pytest

from fleettui.compression.generate import GENRES, Genre, prompt


@pytest.mark.parametrize("genre", GENRES)
def test_a_seed_makes_the_same_prompt_and_another_one_another(genre: Genre) -> None:
    assert prompt(genre, 3000, 1) == prompt(genre, 3000, 1) != prompt(genre, 3000, 2)
    assert 3000 <= len(prompt(genre, 3000, 1).text) < 6000
