"""With a wish to be sure fleets that divide otherwise are sought where that may take clearly less."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.make_plan import make_plan
from fleettui.planning.sized_shapes import Option
from fleettui.planning.surer_splits import MOST, surer_splits
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.planning.test_finer_splits import of_two_types
from tests.planning.trials import curves, shape

ASKED = Question(workload="chat", slo=Slo(ttft=0.5), confidence=0.9)


async def divided(asked: Question, *, costs: list[float], known: int) -> tuple[list[float], float | None]:
    """Return what fleets cost that are divided otherwise than so many `known` ones, and below what they are sought."""
    two = replace(shape(1, 2), cost_per_hour=20.0)
    short, long = two.fleet.pools
    found, sought = [], list[float]()
    for place, cost in enumerate(costs):
        pools = replace(short, up_to=900 + place), replace(long, above=900 + place)
        found.append(replace(two, fleet=replace(two.fleet, pools=pools), cost_per_hour=cost))

    async def run(_: str, *__: object, most: float, **___: object) -> Any:
        sought.append(most)
        return found

    async def its_curves(fleets: list[object]) -> list[Any]:
        return [curves(two) for _ in fleets]

    prover = SimpleNamespace(workers=SimpleNamespace(run=run), report=None, source=None, curves=its_curves)
    store = SimpleNamespace(add_candidate=lambda _, one: one)
    trials: Any = SimpleNamespace(
        question=asked, prover=prover, store=store, plan=SimpleNamespace(plan=SimpleNamespace(id="1"))
    )
    best = Option(20.0, two, (1, 2), curves(two))
    shapes = [(one, curves(one)) for one in (two, *found[:known])]
    sized: Any = SimpleNamespace(looks=[])
    more = await surer_splits(trials, sized, shapes, best, [])
    return [one.cost_per_hour for one, _ in more], next(iter(sought), None)


async def test_fleets_that_divide_otherwise_are_sought_for_clearly_less_than_the_best() -> None:
    costs = [10.0 + place for place in range(MOST + 2)]
    assert await divided(ASKED, costs=costs, known=0) == (costs[:MOST], pytest.approx(19.8))
    assert (await divided(ASKED, costs=costs, known=3))[0] == costs[3:]


@pytest.mark.parametrize("changes", [{"pools": (2,), "splits": (900,)}, {"pools": (1,)}, {"confidence": None}])
async def test_none_are_sought_where_the_question_says_where_pools_divide(changes: dict[str, Any]) -> None:
    assert await divided(replace(ASKED, **changes), costs=[9.0], known=0) == ([], None)


@pytest.mark.thorough
@pytest.mark.own_workers
@pytest.mark.looks
async def test_a_fleet_that_is_as_sure_is_no_dearer_than_of_two_pools(store: Store, tmp_path: Path) -> None:
    """Found: 4 B200 for $21.00 where 1 H100 and 3 B200 for $18.70 are as sure, divided at 1,056 tokens."""
    asked = replace(of_two_types(tmp_path), confidence=0.9)
    async with WorkerPool(1) as workers:
        plan = await make_plan(asked, store=store, pool=workers)
    assert plan.answer is not None
    assert plan.confidence is not None
    assert plan.confidence.holds >= 0.9
    assert plan.verdict == "pass"
    assert plan.answer.cost_per_hour < 19.0
