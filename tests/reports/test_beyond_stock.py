"""What of a workload's own page is beyond what the others of a joint plan leave."""

from dataclasses import replace

from fleettui.domain.confidence import Confidence, SureFleet
from fleettui.domain.joint import SharedLimits
from fleettui.domain.other_gpus import other_gpu
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.beyond_stock import left_of, marked
from fleettui.reports.confidence_text import for_more
from fleettui.reports.posted_prices import PostedPrices
from tests.planning.trials import shape
from tests.store import samples

LIMITS = SharedLimits(max_gpus=(("a100", 20), ("h100", 16)), max_total_gpus=30, budget=60.0, max_power=9e9)
LEFT = left_of(LIMITS, [({"h100": 6}, 18.0), ({"h100": 2, "a100": 4}, 12.0)])
OTHER = shape(9, gpu="a100", price=1.0)


def test_what_others_take_is_left_to_nobody() -> None:
    assert LEFT == {"stock of a100": 16.0, "stock of h100": 8.0, "gpus": 18.0, "cost": 30.0}
    assert left_of(SharedLimits(max_gpus=(("h100", 4),)), [({"h100": 6}, 18.0)]) == {"stock of h100": 0.0}


def answer(sure: Confidence | None = None, why: tuple[str, ...] = (), warnings: tuple[str, ...] = ()) -> Answer:
    return replace(samples.answer(), answer=shape(3), confidence=sure, why=why, warnings=warnings)


def test_what_is_surer_says_where_it_is_beyond_what_is_left() -> None:
    """Found: "90% with ~16 like these ($64/h) or ~16 GPUs as H100 tp4 x4", of 12 H200 and 8 H100 that were left."""
    sure = Confidence(holds=0.5, replicas=(5,), gpus=10, cost=20.0, span=(4, 20))
    told = marked(answer(replace(sure, instead=SureFleet(fleet=OTHER.fleet, cost=18.0))), LEFT).confidence
    assert told is not None
    assert for_more(told) == (
        "90% with ~10 like these (~$20/h, beyond the stock of H100, 8 left) or "
        "~18 GPUs as A100 tp2 x9 (~$18/h, beyond the stock of A100, 16 left)"
    )
    fits = replace(sure, replicas=(4,), gpus=8, cost=20.0)
    assert marked(answer(fits), LEFT).confidence == fits
    dear = marked(answer(replace(fits, cost=31.0)), LEFT).confidence
    assert dear is not None
    assert dear.beyond == "beyond the budget, $30/h left"
    assert marked(answer(), LEFT) == answer()


def test_other_gpus_are_told_with_what_is_left_of_them() -> None:
    question = Question(workload="chat", slo=Slo(ttft=0.5))
    reason = other_gpu(shape(3), OTHER, question)
    assert marked(answer(why=(reason, "slow")), LEFT).why == (f"{reason}, beyond the stock of A100, 16 left", "slow")
    near = other_gpu(shape(3), shape(8, gpu="a100"), question)
    assert marked(answer(why=(near,)), LEFT).why == (near,)


def test_what_posted_prices_would_save_is_told_where_it_can_be_had() -> None:
    """Found: 12 H100 at posted prices, where the other workload left 8."""
    few, many = (
        PostedPrices(prices=(("h100", 7.0),), own=56.0, other=shape(size, gpu="a100"), cost=20.0, more=False).told
        for size in (8, 9)
    )
    assert marked(answer(warnings=("bursts", few, many)), LEFT).warnings == ("bursts", few)
