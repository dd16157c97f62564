"""What drafts come to, told once for replicas of a kind."""

from dataclasses import replace

from fleettui.optimize.draft_words import draft_words
from tests.optimize.samples import profile


def test_drafts_are_told_once_for_each_kind_and_not_where_there_are_none() -> None:
    plain = profile()
    drafting = replace(plain, name="drafting", drafts=("2.5 tokens a step", "they pay"))
    assert draft_words([plain, drafting, drafting]) == ("drafts on drafting: 2.5 tokens a step; they pay",)
