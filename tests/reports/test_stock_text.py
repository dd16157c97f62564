from dataclasses import replace

import pytest

from fleettui.domain.confidence import Confidence, SureFleet
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.stock import Stock
from fleettui.reports import confidence_text
from fleettui.reports.plan_json import plan_json
from fleettui.reports.stock_text import holding, told

STOCK = Stock(replicas=(3,), gpus=(24,), cost=60.0, simulated=True, rate=114.2, rate_simulated=True)


@pytest.fixture
def given(answer: Answer, best: Candidate) -> Answer:
    """An answer of one pool with six replicas of eight H100 each, $140 an hour."""
    (pool, *_) = best.fleet.pools
    fleet = replace(best.fleet, pools=(replace(pool, gpu="h100", tp=8, replicas=6, spares=0, pp=1),))
    return replace(
        answer, answer=replace(best, fleet=fleet, gpus=48, cost_per_hour=140.0), confidence=None, stock=STOCK
    )


def test_what_is_spare_is_told_with_its_price_and_the_rate_that_the_fleet_holds(given: Answer) -> None:
    assert told(given) == "24 H100 are spare ($80/h) at nominal speed; holds to at least 114.2/s"
    sure = Confidence(holds=0.7, replicas=(7,), gpus=56, cost=163.0, span=(8, 64))
    assert told(replace(given, confidence=sure)).endswith(
        " at nominal speed, short by ~8 H100 (~$23/h) with 90%; holds to at least 114.2/s"
    )
    none = replace(sure, replicas=None, gpus=None, cost=None)
    assert "no number of them with 90%" in told(replace(given, confidence=none))


def test_what_is_short_to_be_surer_is_of_the_division_that_takes_less(given: Answer) -> None:
    """Found: "short by ~112 MI300X ($223/h) with 90%" of 16 as tp4 x4, where 16 more do as tp8 x4."""
    assert given.answer is not None
    (pool,) = given.answer.fleet.pools
    sure = Confidence(holds=0.7, replicas=(20,), gpus=160, cost=466.0, span=(8, 200))

    def short(*, cost: float, tp: int = 4, gpu: str = "h100", size: int = 14) -> str:
        fleet = replace(pool, gpu=gpu, tp=tp, replicas=size)
        other = SureFleet(fleet=replace(given.answer.fleet, pools=(fleet,)), cost=cost) if given.answer else None
        return told(replace(given, confidence=replace(sure, instead=other))).partition(";")[0].partition("speed, ")[2]

    assert short(cost=163.0) == "short by ~8 H100 (~$23/h) with 90% as H100 tp4 x14"
    assert short(cost=116.0, size=10) == "~8 H100 are spare (~$24/h) with 90% as H100 tp4 x10"
    apart = "short by ~8 H200, while ~48 H100 are spare (in all ~$40/h less) with 90% as H200 tp8 x1"
    assert short(cost=100.0, gpu="h200", tp=8, size=1) == apart


def test_another_length_at_which_the_same_pools_divide_is_told(given: Answer) -> None:
    """Found: "as A100 tp4 x1 + H100 tp4 x3" of the same pools, which hold so only where they divide at fewer tokens."""
    assert given.answer is not None
    (pool,) = given.answer.fleet.pools
    first, last = replace(pool, tp=4, up_to=2048, context=2048, replicas=3), replace(pool, tp=4, replicas=2, above=2048)
    pools = (first, replace(last, up_to=8192, context=8192))
    best = replace(given.answer, fleet=replace(given.answer.fleet, pools=pools), gpus=20)
    short = (replace(first, up_to=1120, replicas=1), replace(pools[1], above=1120, replicas=3))
    other = SureFleet(fleet=replace(best.fleet, pools=short), cost=41.0)
    sure = Confidence(holds=0.7, replicas=(6, 3), gpus=36, cost=67.0, span=(8, 64), instead=other)
    words = "as H100 tp4 x1 + tp4 x3 split at 1,120 tokens"
    stock = replace(STOCK, gpus=(12, 8), replicas=(3, 2))
    assert f" with 90% {words}; " in told(replace(given, answer=best, confidence=sure, stock=stock))
    assert f" or ~16 GPUs {words} (~$41/h)" in confidence_text.told(sure, best)


def test_how_busy_its_pools_may_be_stands_behind_the_rate(given: Answer) -> None:
    assert told(replace(given, stock=replace(STOCK, most_busy=0.85))).endswith(
        "; holds to at least 114.2/s, at most 85% busy"
    )
    busier = told(replace(given, stock=replace(STOCK, most_busy=0.05)))
    assert busier.startswith("at most 5% busy: 24 H100 are spare")
    assert busier.endswith("; holds to at least 114.2/s")


def test_rates_that_are_not_proven_are_told_behind_the_one_that_holds() -> None:
    assert holding(replace(STOCK, fails_from=150.0)) == "holds to at least 114.2/s (not proven up to 150/s)"


def test_what_is_short_and_what_is_by_formula_is_told(given: Answer) -> None:
    short = replace(STOCK, gpus=(56,), cost=163.0, simulated=False, rate_simulated=False)
    assert told(replace(given, stock=short)) == (
        "short by 8 H100 ($23/h) at nominal speed by formula; holds to 114.2/s by formula"
    )
    exact = replace(STOCK, gpus=(48,), cost=140.0, rate=None)
    assert told(replace(given, stock=exact)) == "nothing is spare at nominal speed; holds at no rate"
    never = replace(STOCK, gpus=None, replicas=None, cost=None)
    assert told(replace(given, stock=never)).startswith("no number of these replicas holds every limit; ")


def test_what_is_short_as_divided_says_which_other_division_holds(given: Answer) -> None:
    """Found: "short by 2 A100" of 4 as tp2 x2, which hold as tp1 x4: someone would have bought two."""
    short = replace(STOCK, replicas=(7,), gpus=(56,), cost=163.0)
    reasons = (
        "tp4 x12 of the same 48 H100 would hold: P99 TPOT 0.04 s within 0.05 s, as simulated",
        "40 of the same 48 H100 as tp4 x10 would do: P99 TPOT 0.04 s within 0.05 s, as simulated",
        "tp4 x12 of the same 48 H100 would be 92% sure, as simulated",
    )
    plain = "short by 8 H100 ($23/h) at nominal speed"
    for reason, also in zip(reasons, (f" ({reasons[0][:38]})", f" ({reasons[1][:42]})", ""), strict=True):
        assert told(replace(given, stock=short, why=("slow", reason))).startswith(f"{plain}{also}; holds")


def test_what_is_spare_is_the_least_where_simulations_do_not_tell_of_fewer(given: Answer) -> None:
    """Found: "3 H200 are spare" of 12, of which a plan with more runs found that 8 pass; and 1 or 2 by the seed."""
    fewer = replace(STOCK, unproven=(8,))
    told_of = [(24, 60.0), (48, 140.0), (56, 163.0)]
    assert [
        told(replace(given, stock=replace(fewer, gpus=(gpus,), cost=cost))).split(";")[0] for gpus, cost in told_of
    ] == [
        "at least 24 H100 are spare ($80/h) at nominal speed (8 H100 more not proven)",
        "nothing is spare at nominal speed (8 H100 not proven)",
        "short by at most 8 H100 ($23/h) at nominal speed (8 H100 less not proven)",
    ]


def test_pools_that_lack_and_pools_that_have_too_many_are_told_apart(given: Answer) -> None:
    assert given.answer is not None
    (pool,) = given.answer.fleet.pools
    other = replace(pool, name="long", gpu="a100", replicas=1, above=pool.up_to, up_to=2 * pool.up_to)
    fleet = replace(given.answer.fleet, pools=(pool, other))
    both = replace(given, answer=replace(given.answer, fleet=fleet), stock=replace(STOCK, gpus=(24, 16), cost=100.0))
    assert told(both).startswith(
        "short by 8 A100, while 24 H100 are spare in another pool (in all $40/h less) at nominal"
    )


def test_a_plan_that_was_searched_for_says_nothing_of_it(given: Answer) -> None:
    searched = replace(given, stock=None)
    assert told(searched) == ""
    assert "stock" not in plan_json(searched)
    assert plan_json(given)["stock"]["gpus"] == [24]
