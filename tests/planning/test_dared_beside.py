"""What is told to be the best of other GPU types was searched for as by a plan, or is told as the most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.advice import AT_MOST
from fleettui.domain.demand import Demand
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import WITHOUT, Candidate, Look, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.dared_beside import MOST_DARED, DaredBeside
from fleettui.planning.make_plan import make_plan
from fleettui.planning.settled import Settled
from fleettui.planning.shown_fleets import ShownFleets
from fleettui.planning.sized_shapes import Shape
from fleettui.planning.smallest_fleet import ROUNDS
from fleettui.planning.walk import Sizes
from fleettui.planning.worker_pool import WorkerPool
from store import Store
from tests.planning.trials import curves, evidence, scaled, seen, shape
from tests.store import samples

ASKED, RATE = Question(slo=Slo(ttft=0.5)), 10.0


def judged(one: Candidate, verdict: Verdict) -> Candidate:
    """Return a fleet whose pools were simulated to take 0.4 s of 0.5, or are not to hold."""
    return replace(one, evidence=evidence(verdict, *(seen(pool.name, None, verdict) for pool in one.fleet.pools)))


class Simulator:
    """What knows the curves of fleets, and prepares one at sizes; nothing is simulated."""

    def __init__(self, *known: Candidate) -> None:
        self.known = {one.fleet: curves(one) for one in known}
        self.source = SimpleNamespace(question=ASKED, rate=RATE)
        self.workers = self

    async def curves(self, fleets: Sequence[Fleet]) -> Any:
        return [self.known[one] for one in fleets]

    async def run(self, _name: str, *_: object, fleet: Fleet, sizes: Sizes, **_rest: object) -> Any:
        return SimpleNamespace(candidate=scaled(replace(shape(1), fleet=fleet), sizes))


@dataclass(slots=True, kw_only=True)
class Tried(ShownFleets):
    """Fleets that are tried hold from so many GPUs of their type on, where that is known."""

    holds_from: dict[str, int] = field(default_factory=dict)
    tried: list[tuple[str, Sizes]] = field(default_factory=list)

    async def try_at(self, shape: Candidate, sizes: Sizes) -> Look | None:
        gpu = shape.fleet.pools[0].gpu
        self.tried.append((gpu, sizes))
        verdict: Verdict = "pass" if sum(sizes) >= self.holds_from.get(gpu, 99) else "fail"
        look = Look(rate=RATE, candidate=judged(scaled(shape, sizes), verdict))
        self.looks.append(look)
        if verdict == "pass":
            self._learn(look.candidate.fleet, look.candidate)
        return look


BEST = judged(shape(4, gpu="h200", price=2.0), "pass")
SMALLER = judged(scaled(shape(4, gpu="h200", price=2.0), (3,), 2.0), "fail")
"""What was shown, for $8 an hour, and what one replica fewer comes to."""


async def dared(
    *refused: Candidate, finer: Sequence[Candidate] = (), **holds_from: int
) -> tuple[list[Candidate], Tried, list[Settled]]:
    """Return what is left beside the best once fleets were tried that the formulas have dearer, and what was.

    One after the other those that are `finer` are found, each beside what was settled by then.
    """
    answer = replace(samples.answer(1), candidates=(BEST, SMALLER))
    simulator: Any = Simulator(BEST, SMALLER, *refused)
    shown, asked = Tried(simulator=simulator, answer=answer, holds_from=holds_from), list[Settled]()

    async def near(found: Settled) -> Sequence[Shape]:
        asked.append(found)
        return [(one, curves(one)) for one in finer[len(asked) - 1 :][:1]]

    shapes = [(one, curves(one)) for one in (BEST, *refused)]
    search = DaredBeside(shown=shown, shapes=shapes, counts=lambda _: True, finer=near)
    return await search.left(), shown, asked


async def test_what_the_formulas_have_dearer_and_may_hold_for_less_is_simulated() -> None:
    """Found: next without B200 24 H100, $70.80/h, as simulated; a plan of H100 found 22, $64.90."""
    left, shown, _ = await dared(shape(9, gpu="a100"), a100=7)
    assert left == []
    assert shown.tried == [("a100", (6,)), ("a100", (7,))]
    assert min(one.cost_per_hour for one in shown.shown) == 7.0


async def test_no_more_than_some_are_tried_and_the_rest_is_left() -> None:
    refused = [shape(9, gpu=f"gpu{place}") for place in range(MOST_DARED + 2)]
    left, shown, asked = await dared(*refused)
    assert len(shown.tried) == MOST_DARED
    assert [one.cost_per_hour < BEST.cost_per_hour for one in left] == [True]
    assert not asked, "where fleets divide is not looked at where more are left"
    shown.untried = left
    assert not shown.is_least(BEST, lambda _: True)
    assert shown.is_least(BEST, lambda one: one.fleet.pools[0].gpu == "h200")


async def test_what_could_not_be_better_is_not_tried() -> None:
    left, shown, _ = await dared(shape(20, gpu="a100"))
    assert (left, shown.tried) == ([], [])


async def test_where_pools_divide_is_tried_at_last_and_what_goes_on_beyond_some_rounds_is_left() -> None:
    divided = [shape(3, 3, gpu=f"gpu{place}") for place in range(ROUNDS)]
    left, shown, asked = await dared(finer=divided[:1], gpu0=6)
    assert left == []
    assert shown.tried[0] == ("gpu0", (3, 3))
    assert len(asked) == 2
    left, shown, asked = await dared(finer=divided)
    assert left == [divided[-1]]
    assert [gpu for gpu, _ in shown.tried] == ["gpu0", "gpu1"]
    assert len(asked) == ROUNDS


OF_70B = Question(
    workload="azure-2023-code",
    demand=Demand(form="rate", rate=8.0),
    slo=Slo(ttft=1.0, tpot=0.05),
    model="llama-3.1-70b",
    gpus=("h100", "h200", "b200"),
    step_law="kernels",
)
OF_QWEN = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=16.0),
    slo=Slo(ttft=0.5, tpot=0.04),
    model="qwen3-32b",
    dtype="fp8",
    gpus=("h100", "h200", "b200"),
    step_law="kernels",
)


@pytest.mark.thorough
@pytest.mark.looks
@pytest.mark.own_workers
@pytest.mark.parametrize("asked", [OF_70B, OF_QWEN], ids=["refused by formula", "open in short runs"])
async def test_next_without_the_answers_gpus_is_what_a_plan_of_the_others_finds_or_the_most(
    store: Store, asked: Question
) -> None:
    """Found: without B200 24 H100, $70.80/h, and at most five, $14.75; plans found 22, $64.90, and four, $11.80."""
    async with WorkerPool(1) as workers:
        plan = await make_plan(asked, store=store, pool=workers)
        assert plan.answer is not None
        others = tuple(gpu for gpu in asked.gpus if gpu not in plan.answer.fleet.gpus_by_type)
        alone = await make_plan(replace(asked, gpus=others), store=store, pool=workers)
    assert alone.answer is not None
    (said,) = (one for one in plan.why if one.startswith(WITHOUT))
    told = float(said.partition(" beside ")[0].rpartition("$")[2].removesuffix("/h"))
    assert told == pytest.approx(alone.answer.cost_per_hour, abs=0.01) or (AT_MOST in said and told < 70.0)
