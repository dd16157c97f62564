"""How many drafts a search tries."""

import pytest

from fleettui.domain import drafts_tried
from fleettui.errors import InputError


def test_one_rate_stands_for_up_to_so_many_drafts_and_rates_by_position_for_theirs() -> None:
    none, *some = drafts_tried.tried("mtp:auto@0.7:sampled")
    assert none == ""
    assert some == [f"mtp:{count}@70%:sampled" for count in range(1, drafts_tried.MOST_TRIED + 1)]
    assert drafts_tried.tried("mtp:auto@80%/50%") == ("", "mtp:1@80%", "mtp:2@80%/50%")


@pytest.mark.parametrize("text", ["auto", "mtp:auto", "mtp:auto@", ":auto@70%"])
def test_drafter_and_acceptance_are_not_left_to_the_search(text: str) -> None:
    with pytest.raises(InputError, match="with a drafter and an acceptance"):
        drafts_tried.written(text)


@pytest.mark.parametrize("text", ["mtp:auto@20%/50%", "mtp:auto@0%", "mtp:auto@70%:often"])
def test_an_acceptance_that_is_none_is_refused_as_elsewhere(text: str) -> None:
    with pytest.raises(InputError, match=r"fall|out of range|unknown word"):
        drafts_tried.written(text)
