"""A row of a mechanism says what is shown only where its interval leaves out 0."""

import pytest

from fleettui.domain.plan import Estimate
from fleettui.optimize.mechanisms import MECHANISMS
from fleettui.optimize.mechanisms.mechanism import Row


@pytest.mark.parametrize(
    ("ours", "words"),
    [
        (None, ""),
        (Estimate(value=0.1), ""),
        (Estimate(value=0.1, low=-0.1, high=0.3), "not proven"),
        (Estimate(value=0.1, low=0.05, high=0.3), "higher"),
        (Estimate(value=-0.1, low=-0.3, high=-0.05), "lower"),
    ],
)
def test_what_is_shown(ours: Estimate | None, words: str) -> None:
    assert Row(name="figure", ours=ours).shown == words


@pytest.mark.parametrize("title", [one.title for one in MECHANISMS])
def test_every_table_says_how_its_figures_come(title: str) -> None:
    about = next(one.about for one in MECHANISMS if one.title == title)
    assert any(words in about for words in ("token by token", "formula", "recurrence"))
