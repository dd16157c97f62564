"""Engines that cut no prompt: one longer than the tokens of a step is served by none of them, and told so."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.optimize.ranges import Slices

STEP = 256
"""Of so many tokens a larger budget is a multiple, where one is told."""


def whole_enough(profiles: Sequence[Profile], question: Question, slices: Slices) -> list[Profile]:
    """Return the profiles whose engine takes every prompt; raises InputError where there are some, and none does."""
    longest = max(prompt for _, atoms in slices for _, prompt, _ in atoms)
    found = [one for one in profiles if takes(one.settled(question), longest)]
    if profiles and not found:
        largest = max((one.settled(question) for one in profiles), key=lambda one: one.token_budget)
        raise too_long(longest, largest, "--token-budget")
    return found


def takes(settings: EngineSettings, prompt: float) -> bool:
    """Return whether a prompt of so many tokens is ever run by an engine that is set so."""
    return not settings.whole or prompt <= settings.token_budget


def too_long(longest: float, settings: EngineSettings, where: str) -> InputError:
    """Return what is said of a prompt that is longer than the steps of an engine which has it whole.

    The budget that would do has room for the prompt beside as many decodes as there may be.
    """
    budget, more = settings.token_budget, STEP * math.ceil((longest + settings.max_num_seqs) / STEP)
    return InputError(
        f"the engine cuts no prompt, and the longest has {longest:,.0f} tokens",
        where=where,
        value=f"{budget:,} tokens a step",
        accepted=f"{longest:,.0f} or more, or prompts that are cut",
        remedy=f"--prompt-steps mixed cuts them; or --token-budget {more}, or --context {budget} --drop-longer",
    )
