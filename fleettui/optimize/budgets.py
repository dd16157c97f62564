"""The token budgets that a search tries where a question leaves them to it: each profile once with each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fleettui.domain.engine_settings import SEARCHED
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.optimize.ranges import Slices
from fleettui.optimize.whole_prompts import whole_enough

BUDGETS = (512, 1024, 2048, 4096, 8192, 16384)
"""Tokens that one step processes, tried beside the engine's own."""


def with_budgets(profiles: Sequence[Profile], question: Question, slices: Slices) -> list[Profile]:
    """Return the profiles by name, where the budget is searched each with every budget, its engine's own first.

    Those are left out whose engine has prompts whole, and has no step for the longest of `slices`.
    """
    ordered = sorted(profiles, key=lambda profile: profile.name)
    if question.token_budget == SEARCHED:
        ordered = [one for profile in ordered for one in (profile, *_others(profile, question))]
    return whole_enough(ordered, question, slices)


def _others(profile: Profile, question: Question) -> Iterator[Profile]:
    """Yield a profile with every other budget that has a token for each sequence; vLLM does not start with fewer."""
    settings = profile.settled(question)
    for budget in BUDGETS:
        if budget >= settings.max_num_seqs and budget != settings.token_budget:
            yield replace(profile, settings=replace(profile.settings, token_budget=budget))
