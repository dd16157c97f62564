"""CUDA-graph bins as they are said, and to what they pad."""

from __future__ import annotations

import pytest

from fleettui.domain.graph_bins import bins, of_steps, padded, written
from fleettui.errors import InputError


def test_ranges_and_numbers_make_one_ladder() -> None:
    assert bins("1, 2,4, 8-32/8, 64") == (1, 2, 4, 8, 16, 24, 32, 64)
    assert (written(" Engine "), written("1, 2 ,4-8/2")) == ("engine", "1,2,4-8/2")
    assert (written("Decode: engine"), of_steps("decode:1,2")) == ("decode:engine", ("1,2", True))


def test_a_count_between_two_bins_runs_as_the_next_and_one_beyond_all_as_it_is() -> None:
    ladder = bins("1,2,4,8-256/8")
    assert [padded(tokens, ladder) for tokens in (1, 2, 3, 5, 8, 33, 256, 257)] == [1, 2, 4, 8, 8, 40, 256, 257]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no numbers"),
        ("1,two", "no numbers"),
        ("8-32", "no numbers"),
        ("8-32/0", "no numbers"),
        ("4,2", "bins rise"),
        ("1,1", "bins rise"),
        ("1,2,4,3-9/3", "bins rise"),
        ("0,1", "no such bins"),
        ("1,99999", "no such bins"),
        ("1-60000/1", "no such bins"),
    ],
)
def test_what_is_no_ladder_is_refused_in_words(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        bins(text)
