"""Token budgets that a search chooses: never dearer than one that is given, and said with what they save."""

from dataclasses import replace

import pytest

from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.scenario import OBJECTIVES, Objective
from fleettui.optimize.budgets import with_budgets
from fleettui.optimize.enlarge import enlarged
from tests.optimize.samples import atoms, plan, profile, question
from tests.repeated import few

FAST = replace(profile("fast"), settings=EngineSettings(max_num_seqs=1024, token_budget=8192))
SLOW = profile("slow", tp=1, speed=0.4, price=1.2)
TRIED = (None, 512, 1024, 2048, 4096, 8192, 16384)
RATE, TIGHT = 120.0, 0.35
ASKS = [(RATE, atoms(5))]
SMALL = replace(FAST, settings=EngineSettings(max_num_seqs=256, token_budget=512))


def test_each_profile_is_tried_with_its_own_budget_first_and_with_all_that_its_engine_accepts() -> None:
    asked = question(token_budget="auto")
    found = [(one.gpu, one.settings.token_budget) for one in with_budgets([SLOW, FAST], asked, ASKS)]
    assert found == [
        *(("fast", budget) for budget in (8192, 1024, 2048, 4096, 16384)),
        *(("slow", budget) for budget in (2048, 512, 1024, 4096, 8192, 16384)),
    ]
    few = replace(asked, max_num_seqs=64)
    assert [one.settings.token_budget for one in with_budgets([FAST], few, ASKS)] == [
        8192,
        512,
        1024,
        2048,
        4096,
        16384,
    ]
    assert with_budgets([SLOW, FAST], question(token_budget=512), ASKS) == [FAST, SLOW]


@pytest.mark.parametrize(
    ("objective", "seed", "tpot", "pools"),
    few(
        [
            (OBJECTIVES[(at + turn) % 3], *case)
            for turn in range(3)
            for at, case in enumerate([(5, 10.0, (1, 2)), (6, 0.06, (1, 2)), (7, 0.08, (1, 3))])
        ],
        0,
        more=1,
    ),
)
def test_the_search_is_never_dearer_than_any_budget_that_is_given(
    seed: int, tpot: float, pools: tuple[int, ...], objective: Objective
) -> None:
    asked = question(ttft=TIGHT, pools=pools, objective=objective)
    asked = replace(asked, slo=replace(asked.slo, tpot=tpot))

    def worth(budget: object) -> float:
        found = plan(replace(asked, token_budget=budget), RATE, atoms(seed), [SMALL, SLOW]).answer  # type: ignore[arg-type]
        if found is None:
            return float("inf")
        return {"cost": found.cost_per_hour, "gpus": float(found.gpus), "power": found.power}[objective]

    assert worth("auto") <= min(map(worth, TRIED)) * (1.0 + 1e-9)


def test_the_answer_names_each_pools_budget_and_what_it_saves() -> None:
    asked = question(ttft=TIGHT, pools=(1,))
    own, found = (plan(replace(asked, token_budget=one), RATE, atoms(5), [SMALL]) for one in (None, "auto"))
    assert own.answer is not None
    assert found.answer is not None
    (pool,) = found.answer.fleet.pools
    assert pool.token_budget == 2048
    gpus, dollars = own.answer.gpus - found.answer.gpus, own.answer.cost_per_hour - found.answer.cost_per_hour
    assert gpus > 0
    told = f"--token-budget auto: 2,048 tokens a step instead of vllm's own 512: saves {gpus} GPUs, ${dollars:.2f}/h"
    assert f"{told}, by formula" in found.why
    set_so = "vllm as it comes: 256 sequences, 90% of memory; prefixes kept, no hits counted"
    assert f"{set_so}; as searched: 2,048 tokens a step" in found.why


def test_a_budget_that_saves_nothing_stays_the_engines_own_and_one_that_alone_holds_is_said_to() -> None:
    loose = plan(question(ttft=20.0, token_budget="auto"), 2.0, atoms(5), [FAST])
    assert loose.answer is not None
    assert {pool.token_budget for pool in loose.answer.fleet.pools} == {8192}
    assert "--token-budget auto: vllm's own 8,192 tokens a step; none of 1,024 to 16,384 saves anything" in loose.why
    asked = question(ttft=0.2, pools=(1,))
    assert plan(asked, RATE, atoms(6), [SMALL]).answer is None
    strict = plan(replace(asked, token_budget="auto"), RATE, atoms(6), [SMALL])
    assert any("without it no fleet holds, by formula" in one for one in strict.why)


def test_where_the_least_ttft_is_asked_for_the_budgets_ttft_is_said() -> None:
    asked = question(ttft=TIGHT, pools=(1,), objective="ttft")
    own, found = (plan(replace(asked, token_budget=one), 30.0, atoms(5), [SMALL]) for one in (None, "auto"))
    assert own.answer is not None
    assert found.answer is not None
    before, now = (one.answer.pools[0].ttft for one in (own, found) if one.answer)
    assert now < before
    assert any(f"TTFT {now:.3g} s instead of {before:.3g} s, by formula" in one for one in found.why)


def test_larger_fleets_keep_the_budgets_of_their_pools() -> None:
    asked, lengths = question(ttft=TIGHT, token_budget="auto"), atoms(5)
    found = plan(asked, RATE, lengths, [FAST]).answer
    assert found is not None
    (first, *_) = enlarged(
        [found.fleet], question=asked, slices=[(RATE, lengths)], profiles=[FAST], context=16_384, note=lambda *_: None
    )
    assert first.ttft == pytest.approx(max(pool.ttft for pool in found.pools))
    assert first.fleet == found.fleet
