"""Which points of a sweep decide, and what is made of those that are simulated."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.fleet import Fleet
from fleettui.domain.length_factors import Lengths
from fleettui.domain.slo import Slo
from fleettui.domain.whatif import Axis, Outcome, Point, Sweep
from fleettui.planning.make_plan import make_plan
from fleettui.planning.proven_points import MOST_LOOKS, can_be_simulated, deciding
from fleettui.planning.studies.study_context import make
from store import Store
from tests.cli.conftest import POOL
from tests.planning.contradictions import rows
from tests.planning.simulated import Watched, question, trace


def outcome(gpu: str | None, cost: float = 1.0) -> Outcome:
    if gpu is None:
        return Outcome(verdict="infeasible", rate=1.0)
    return Outcome(verdict="pass", rate=1.0, fleet=Fleet(pools=(replace(POOL, gpu=gpu),)), cost=cost)


def sweep(quantity: str, count: int) -> Sweep:
    values = tuple(float(place) for place in range(count))
    axis = Axis(name="rate", quantity=quantity, values=values)  # type: ignore[arg-type]
    return Sweep(axes=(axis,), points=tuple(Point(values=(one,), question=question("w")) for one in values))


@pytest.mark.parametrize(
    ("quantity", "found", "expected"),
    [
        ("rate", [outcome("h100"), outcome("h100"), outcome("a100"), outcome("a100")], [1, 2]),
        ("rate", [outcome("h100"), outcome("a100"), outcome(None)], [0, 1, 2]),
        ("rate", [outcome("h100"), outcome("h100")], []),
        ("text", [outcome("h100", 3.0), outcome("a100", 2.0), outcome(None)], [1]),
    ],
)
def test_the_sides_of_a_change_decide_or_else_the_cheapest(
    quantity: str, found: list[Outcome], expected: list[int]
) -> None:
    assert deciding(sweep(quantity, len(found)), found) == expected


def test_what_needs_a_plan_of_its_own_is_not_simulated() -> None:
    asked = question("w")
    assert can_be_simulated(Point(values=(), question=asked))
    assert not can_be_simulated(Point(values=(), question=asked, lengths=Lengths(prompt=1.1)))
    assert not can_be_simulated(Point(values=(), question=replace(asked, confidence=0.9)))
    closed = replace(asked, demand=Demand(form="concurrency", concurrency=10))
    assert not can_be_simulated(Point(values=(), question=closed))


async def test_the_cheapest_of_several_is_simulated_and_no_other(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), name="plain", slo=Slo(ttft=0.3), gpus=("h100",))
    await make_plan(asked, store=store, pool=workers)
    study = await make("whatif", store, pool=workers, plan="plain", sweep=["gpu=h100,a100,h200"])
    told = {row["gpu"]: row for row in rows(study)}
    costs = [row["cost_per_hour"] for row in told.values() if row["cost_per_hour"] is not None]
    cheapest = min(told.values(), key=lambda row: row["cost_per_hour"] or 9e9)
    assert told["h100"]["verdict"] == "pass", "the plan's own point is as kept"
    assert cheapest["verdict"] == "pass"
    assert cheapest["cost_per_hour"] == min(costs)
    assert sum(row["verdict"] == "pass" for row in told.values()) <= 1 + MOST_LOOKS
