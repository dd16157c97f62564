import pytest

from fleettui.tui.tabs.candidates_title import candidates_title
from fleettui.tui.tabs.listing import Listing


@pytest.mark.parametrize(
    ("width", "title"),
    [
        (120, "1 fleet of 12 candidates, * answer, then cheapest first   / tp8   ~ formula   enter looks"),
        (80, "1 fleet of 12 candidates, * answer, then cheapest first   / tp8   ~ formula"),
        (10, "1 fleet of 12 candidates, * answer, then cheapest first"),
    ],
)
def test_what_does_not_fit_is_left_out_from_the_right(width: int, title: str) -> None:
    listing = Listing(words="tp8", answer_first=True)
    assert candidates_title(listing, count=1, total=12, answered=True, chosen="", width=width) == title


def test_a_candidate_that_is_looked_at_is_named_in_place_of_the_answer() -> None:
    listing = Listing(order="gpus", reverse=True, every=True)
    title = candidates_title(listing, count=12, total=12, answered=True, chosen="41a7", width=120)
    assert title == "12 candidates, by GPUs, reversed   at 41a7, esc: the answer   ~ formula"
