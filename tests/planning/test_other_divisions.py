"""How else the GPUs of a fleet that was given may be divided, where that holds and the fleet does not, or is surer."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.demand import Demand
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.plan import Answer
from fleettui.domain.remedy import OF_THE_SAME
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning import sure_division
from fleettui.planning.fleet_limits import FleetLimits, Sizes
from fleettui.planning.simulate import simulate
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace

pytestmark = pytest.mark.looks
Ask = Callable[[float, float], Question]


@pytest.fixture
def asked(tmp_path: Path) -> Ask:
    path = trace(tmp_path)

    def of(rate: float, ttft: float) -> Question:
        return question(path, gpus=(), tp=(), demand=Demand(form="rate", rate=rate), slo=Slo(ttft=ttft))

    return of


def divided(answer: Answer) -> list[str]:
    return [reason for reason in answer.why if OF_THE_SAME in reason]


async def test_another_division_of_the_same_gpus_that_holds_is_told_as_simulated(
    store: Store, workers: Watched, asked: Ask
) -> None:
    """Found: 16 H100 as tp4 x4 fail, and were told to be short by 4 like them; as tp8 x2 they hold."""
    answer = await simulate(sketch(4, tp=4), asked(12.0, 0.2), store=store, pool=workers)
    assert answer.verdict == "fail"
    (told,) = divided(answer)
    assert told.startswith("tp8 x2 of the same 16 H100 would hold: P99 TTFT 0.19")
    assert told.endswith(" s within 0.2 s, as simulated")
    assert store.plan("last").why == answer.why, "it is kept"
    (seen,) = [
        look for look in answer.looks if look.candidate.fleet.gpus_by_type == {"h100": 16} and look.sizes == (2,)
    ]
    assert (seen.sizes, seen.rate, seen.holds) == ((2,), 12.0, True)
    assert answer.confidence is not None
    assert answer.confidence.instead is not None, "more of the same is not all that is told of how to be sure"
    assert fleet_words(answer.confidence.instead.fleet) == "H100 tp8 x8", "x5 by formula, which are 83 % sure"
    followed = await simulate(sketch(2, tp=8), asked(12.0, 0.2), store=store, pool=workers)
    assert followed.verdict == "pass"
    followed = await simulate(sketch(8, tp=8), asked(12.0, 0.2), store=store, pool=workers)
    assert followed.confidence is not None
    assert followed.confidence.is_likely


async def test_what_was_not_seen_to_be_as_good_as_sure_is_not_told(
    store: Store, workers: Watched, asked: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Sizes] = []

    async def unsure(limits: FleetLimits, sizes: Sizes) -> Confidence:
        seen.append(sizes)
        return Confidence(holds=0.89, replicas=sizes, gpus=8, cost=8.0, span=(None, None))

    monkeypatch.setattr(sure_division, "sure_at", unsure)
    answer = await simulate(sketch(4, tp=4), asked(12.0, 0.2), store=store, pool=workers)
    assert answer.confidence is not None
    assert answer.confidence.instead is None
    assert seen == [(size,) for size in range(5, 5 + sure_division.MOST_LOOKED)], "each time one more"


async def test_more_of_the_same_is_no_other_division(store: Store, workers: Watched, asked: Ask) -> None:
    answer = await simulate(sketch(4, tp=8), asked(12.0, 0.2), store=store, pool=workers)
    assert answer.confidence is not None
    assert not answer.confidence.is_likely
    assert answer.confidence.instead is None


@pytest.mark.parametrize(
    ("rate", "ttft", "told"),
    [
        (6.0, 0.3, "A100 tp8 x1 + H100 tp8 x1 split at 912 tokens of the same 8 A100 + 8 H100 would hold: P99 TTFT "),
        (8.0, 0.4, "8 of the same 8 A100 + 8 H100 as H100 tp8 x1 would do: P99 TTFT "),
    ],
    ids=["another length", "one type alone"],
)
async def test_another_length_at_which_pools_hold_and_one_of_them_that_does_alone_are_told(
    store: Store, workers: Watched, asked: Ask, rate: float, ttft: float, told: str
) -> None:
    """Found: 4 A100 up to 1,200 tokens with 8 H100 were told to be short; up to 700 they hold, and so do the H100."""
    short, long = sketch(1, 1).pools
    given = replace(sketch(1), pools=(replace(short, gpu="a100", up_to=2400), long))
    answer = await simulate(given, asked(rate, ttft), store=store, pool=workers)
    assert answer.verdict == "fail"
    (said,) = divided(answer)
    assert said.startswith(told)
    assert said.endswith(" s, as simulated")


@pytest.mark.evidence
async def test_fewer_of_the_gpus_that_are_as_sure_are_told(store: Store, workers: Watched, asked: Ask) -> None:
    answer = await simulate(sketch(6, tp=4), asked(20.0, 0.35), store=store, pool=workers)
    assert answer.confidence is not None
    (told,) = divided(answer)
    assert told.startswith("16 of the same 24 H100 as tp8 x2 would be ")
    share = float(told.removesuffix("% sure, as simulated").rpartition(" ")[2]) / 100.0
    followed = await simulate(sketch(2, tp=8), asked(20.0, 0.35), store=store, pool=workers)
    assert followed.confidence is not None
    assert answer.confidence.holds - 0.01 <= followed.confidence.holds == pytest.approx(share, abs=0.015)


async def test_nothing_is_told_where_no_division_does_or_none_is_looked_for(
    store: Store, workers: Watched, asked: Ask
) -> None:
    """At twice the rate the longer prompts wait in all of them; where replicas stand by nothing else is tried."""
    assert divided(await simulate(sketch(4, tp=4), asked(20.0, 0.2), store=store, pool=workers)) == []
    workers.asked.clear()
    limited = replace(asked(12.0, 0.2), slo=Slo())
    assert divided(await simulate(sketch(4, tp=4), limited, store=store, pool=workers)) == []
    assert "divisions" not in workers.asked


async def test_of_a_fleet_with_spares_it_is_told_that_none_was_tried(
    store: Store, workers: Watched, asked: Ask
) -> None:
    """Found: 16 H100 with a spare replica beside them, short by more of the same, as if nothing else would do."""
    answer = await simulate(sketch(4, tp=4, spares=1), asked(12.0, 0.2), store=store, pool=workers)
    assert answer.verdict == "fail"
    assert "other divisions of 20 H100 were not tried: replicas stand by" in answer.why
