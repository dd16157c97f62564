"""Engines that cut no prompt take those alone that fit in their steps, and say so of others."""

from dataclasses import replace

import pytest

from fleettui.domain.engine_settings import EngineSettings
from fleettui.errors import InputError
from fleettui.optimize.budgets import with_budgets
from fleettui.optimize.whole_prompts import takes, whole_enough
from tests.optimize.samples import atoms, plan, profile, question

WHOLE = replace(profile("fast"), settings=EngineSettings(max_num_seqs=256, token_budget=2048, prompt_steps="whole"))
CUTS = profile("slow")
ASKS = [(100.0, ((0.5, 700.0, 9.0), (0.5, 3000.0, 9.0)))]


def test_a_prompt_that_is_as_long_as_the_budget_is_taken() -> None:
    assert takes(WHOLE.settings, 2048.0)
    assert not takes(WHOLE.settings, 2049.0)
    assert takes(replace(WHOLE.settings, prompt_steps="mixed"), 9000.0)
    assert takes(replace(WHOLE.settings, prompt_steps="alone"), 9000.0)


def test_engines_that_cut_prompts_are_left_and_those_with_larger_steps() -> None:
    larger = replace(WHOLE, settings=replace(WHOLE.settings, token_budget=4096))
    assert whole_enough([WHOLE, CUTS, larger], question(), ASKS) == [CUTS, larger]
    assert whole_enough([WHOLE], question(prompt_steps="mixed"), ASKS) == [WHOLE]
    assert whole_enough([WHOLE], question(token_budget=3000), ASKS) == [WHOLE]


def test_where_no_engine_takes_the_longest_what_would_is_named() -> None:
    with pytest.raises(InputError, match=r"the longest has 3,000 tokens") as refused:
        whole_enough([WHOLE], question(), ASKS)
    assert "--prompt-steps mixed cuts them; or --token-budget 3328, or --context 2048 --drop-longer" in str(
        refused.value
    )
    with pytest.raises(InputError, match="2,048 tokens a step"):
        plan(question(), 100.0, ASKS[0][1], [WHOLE])


def test_a_budget_that_is_searched_is_large_enough() -> None:
    found = with_budgets([WHOLE], question(token_budget="auto"), ASKS)
    assert [one.settings.token_budget for one in found] == [4096, 8192, 16384]


def test_short_prompts_cost_as_much_whole_as_cut() -> None:
    asked = question(ttft=0.8, pools=(1,))
    short = tuple((weight, min(prompt, 1500.0), output) for weight, prompt, output in atoms(5))
    whole, cut = (plan(replace(asked, prompt_steps=how), 30.0, short, [CUTS]).answer for how in ("whole", "mixed"))
    assert whole is not None
    assert cut is not None
    assert (whole.fleet.pools[0].prompt_steps, cut.fleet.pools[0].prompt_steps) == ("whole", "mixed")
    assert whole.cost_per_hour == cut.cost_per_hour
