"""Of fleets that cost as much and are as sure a search answers with the one of fewer pools."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.demand import Demand
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.limiting import LARGER, LONGER_STEPS
from fleettui.domain.plan import Answer, Candidate, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning import confidence_reasons
from fleettui.planning.fewer_pools import in_fewer_pools
from fleettui.planning.make_plan import make_plan
from fleettui.planning.sized_shapes import Option, Shape
from fleettui.planning.trial import Trial
from store import Store
from tests.planning.simulated import Watched
from tests.planning.trials import curves, evidence, scaled, shape
from tests.store import samples

ASKED = Question(slo=Slo(ttft=0.5))
BEST = scaled(shape(2, 4), (2, 4))
ONE_POOL = shape(4)
SURE = Confidence(holds=0.92, replicas=(2, 4), gpus=12, cost=6.0, span=(4, 30))


@dataclass
class Planned:
    """A plan whose fleets of one pool are as sure in so many replicas, the sizes that it simulated kept."""

    enough: int
    verdict: Verdict = "pass"
    question: Question = ASKED
    larger: str = LARGER
    shares: list[float] = field(default_factory=list)
    attempted: list[tuple[int, ...]] = field(default_factory=list)

    def sized_for(self, share: float, *, err_alike: bool) -> Any:
        assert err_alike
        self.shares.append(share)
        return SimpleNamespace(options=self.options)

    async def options(self, shapes: Sequence[Shape], _: Sequence[Candidate]) -> list[Option]:
        return [Option(float(self.enough), one, (self.enough,), own) for one, own in shapes]

    async def attempt(self, one: Candidate, sizes: tuple[int, ...]) -> Trial:
        self.attempted.append(sizes)
        found = scaled(one, sizes)
        pools = tuple(replace(pool, limited_by=self.larger) for pool in found.pools)
        fleet = replace(found, pools=pools, evidence=evidence(self.verdict))
        return Trial(candidate=fleet, pools=(self.verdict,), utilization=(0.5,), shares=((0.5,),))

    async def found(self, shapes: Sequence[Candidate], answer: Answer) -> Trial | None:
        trials: Any = self
        pairs = [(one, tuple(replace(own, price=0.5) for own in curves(one))) for one in shapes]
        return await in_fewer_pools(trials, pairs, answer)


def answered(best: Candidate = BEST, sure: Confidence | None = SURE) -> Answer:
    return replace(samples.answer(1), verdict="pass", answer=best, confidence=sure)


@pytest.mark.parametrize(("wished", "limit"), [(None, LARGER), (0.9, LONGER_STEPS)], ids=["nominal", "wished"])
async def test_a_fleet_of_one_pool_that_costs_as_much_is_simulated_in_as_many_replicas_as_that_pays(
    wished: float | None, limit: str
) -> None:
    """Found: 24 H200 in two pools, 92 % sure, where tp4 x6 of the same GPUs cost as much and is 97 % sure.

    Where 90 % was wished, two pools stayed the answer.
    """
    planned = Planned(enough=5, question=replace(ASKED, confidence=wished))
    found = await planned.found([BEST, ONE_POOL], answered())
    assert found is not None
    assert [pool.limited_by for pool in found.candidate.pools] == [limit]
    assert planned.attempted == [(6,)], "as sure in five, and six cost no more"
    assert planned.shares == [0.92]


@pytest.mark.thorough
@pytest.mark.looks
@pytest.mark.own_workers
async def test_two_pools_of_a_search_give_way_to_one_of_the_same_gpus(store: Store) -> None:
    asked = Question(
        workload="azure-2023-conv",
        model="llama-3.1-70b",
        slo=Slo(ttft=1.0, tpot=0.06),
        demand=Demand(form="rate", rate=30.0),
        gpus=("h100", "h200"),
        prices=(("h100", 6.88),),
        step_law="kernels",
        whole_nodes=True,
    )
    async with Watched() as workers:
        found = await make_plan(asked, store=store, pool=workers)
    assert found.answer is not None
    assert fleet_words(found.answer.fleet) == "H200 tp4 x6"
    assert found.why[0] == "H200 tp4 x2 + tp4 x4 holds, too, and costs as much, but is 92% sure"


@pytest.mark.parametrize(
    ("planned", "other", "answer"),
    [
        (Planned(enough=7), ONE_POOL, answered()),
        (Planned(enough=5), shape(4, gpu="h200"), answered()),
        (Planned(enough=5), BEST, answered()),
        (Planned(enough=5), ONE_POOL, answered(scaled(ONE_POOL, (6,)))),
        (Planned(enough=5), ONE_POOL, answered(sure=None)),
        (Planned(enough=5), ONE_POOL, replace(answered(), verdict="fail")),
        (Planned(enough=5, question=replace(ASKED, objective="gpus")), ONE_POOL, answered()),
    ],
    ids=["dearer", "other GPUs", "as many pools", "one already", "untold", "fails", "no cost"],
)
async def test_nothing_else_is_simulated(planned: Planned, other: Candidate, answer: Answer) -> None:
    assert await planned.found([other], answer) is None
    assert planned.attempted == []


async def test_what_does_not_hold_is_no_answer() -> None:
    assert await Planned(enough=5, verdict="fail").found([ONE_POOL], answered()) is None


@pytest.mark.parametrize(
    ("holds", "told"),
    [(0.97, "but is 92% sure"), (0.924, "but takes 2 pools"), (0.91, "")],
    ids=["surer", "as sure", "less sure"],
)
def test_the_surer_is_the_answer_and_the_one_of_fewer_pools_where_it_is_as_sure(holds: float, told: str) -> None:
    first = answered()
    other = answered(scaled(ONE_POOL, (6,)), replace(SURE, holds=holds))
    found = confidence_reasons.of_equals(first, other)
    if not told:
        assert found == first
        return
    assert found.answer == other.answer
    assert found.why == (f"H100 tp2 x2 + tp2 x4 holds, too, and costs as much, {told}", *other.why)
