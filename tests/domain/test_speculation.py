"""What drafts commit, and how they are said."""

from __future__ import annotations

import numpy as np
import pytest

from fleettui.domain.speculation import speculation
from fleettui.errors import InputError


@pytest.mark.parametrize(
    ("text", "written", "rates"),
    [
        ("mtp:3@70%", "mtp:3@70%", (0.7, 0.49, 0.343)),
        (" MTP:1@0.855 ", "mtp:1@85.5%", (0.855,)),
        ("llama-3.1-8b:2@79%/48%:Sampled", "llama-3.1-8b:2@79%/48%:sampled", (0.79, 0.48)),
        ("mtp:2@1", "mtp:2@100%", (1.0, 1.0)),
    ],
)
def test_one_rate_is_of_each_draft_and_several_are_by_position(
    text: str, written: str, rates: tuple[float, ...]
) -> None:
    found = speculation(text)
    assert found.rates == pytest.approx(rates)
    assert (found.text, speculation(found.text)) == (written, found)
    assert found.committed == pytest.approx(1.0 + sum(rates), abs=5e-4)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("mtp", "no drafter, drafts and acceptance"),
        ("mtp:3", "no drafter, drafts and acceptance"),
        (":3@70%", "no drafter, drafts and acceptance"),
        ("mtp:0@70%", "no such number of drafts"),
        ("mtp:16@70%", "no such number of drafts"),
        ("mtp:x@70%", "no such number of drafts"),
        ("mtp:3@120%", "acceptance is out of range"),
        ("mtp:3@-5%", "acceptance is out of range"),
        ("mtp:3@0", "acceptance is out of range"),
        ("mtp:3@much", "no share"),
        ("mtp:3@80%/40%", "2 rates by position for 3 drafts"),
        ("mtp:2@40%/80%", "rates by position fall"),
        ("mtp:2@40%:guessed", "unknown word"),
    ],
)
def test_what_is_no_speculation_is_refused_in_words(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        speculation(text)


@pytest.mark.parametrize("text", ["mtp:3@70%:sampled", "mtp:2@79%/48%:sampled", "mtp:5@95%:sampled"])
def test_sampled_commits_have_the_mean_the_variance_and_the_end_of_draws(text: str) -> None:
    said, rng = speculation(text), np.random.default_rng(1)
    luck = rng.random(400_000)
    commits = 1 + np.sum([luck < rate for rate in said.rates], axis=0)
    assert commits.mean() == pytest.approx(said.committed, abs=0.006)
    assert commits.var() == pytest.approx(said.variance, rel=0.02)
    ends = np.cumsum(commits)
    marks = np.arange(1000, ends[-1] - 100, 97)
    beyond = ends[np.searchsorted(ends, marks)] - marks
    assert beyond.mean() == pytest.approx(said.beyond, abs=0.05)


def test_by_expectation_there_is_no_variance_and_steps_pass_an_end_by_less_than_a_token() -> None:
    said = speculation("mtp:1@85%")
    assert said.variance == 0.0
    assert 0.0 < said.beyond < 0.5
