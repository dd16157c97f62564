"""The fleet of another shape that is as good as sure for less than more of the same."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.make_plan import make_plan
from store import Store
from tests.planning.simulated import Watched, question, trace

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def made(store: Store, workers: Watched, folder: Path, **changes: Any) -> Answer:
    asked = question(trace(folder), slo=Slo(ttft=0.6), **{"tp": (), **changes})
    return await make_plan(asked, store=store, pool=workers)


@pytest.mark.parametrize("changes", [{"verify": False}, {"gpus": ("b200",)}], ids=["by formula", "simulated"])
async def test_what_is_as_good_as_sure_for_less_is_told_and_is_what_that_wish_is_answered_with(
    store: Store, workers: Watched, tmp_path: Path, changes: dict[str, Any]
) -> None:
    nominal = await made(store, workers, tmp_path, **changes)
    assert nominal.confidence is not None
    assert nominal.confidence.cost is not None
    other = nominal.confidence.instead
    assert other is not None
    assert (nominal.confidence.best_gpus, nominal.confidence.best_cost) == (other.fleet.gpus, other.cost)
    assert other.cost < nominal.confidence.cost
    surer = await made(store, workers, tmp_path, confidence=0.9, **changes)
    assert surer.answer is not None
    assert surer.answer.fleet == other.fleet
    assert surer.confidence is not None
    assert surer.confidence.instead is None


@pytest.mark.evidence
@pytest.mark.looks
@pytest.mark.own_workers
async def test_replicas_that_were_never_simulated_are_before_they_are_told(store: Store, workers: Watched) -> None:
    """Told by formula with the error of other replicas they were 29 % too many."""
    asked = Question(
        workload="azure-2023-conv",
        demand=Demand(form="rate", rate=60.0),
        model="llama-3.1-70b",
        slo=Slo(ttft=0.5),
        gpus=("h100", "a100"),
        step_law="kernels",
    )
    nominal = await make_plan(asked, store=store, pool=workers)
    surer = await make_plan(replace(asked, confidence=0.9), store=store, pool=workers)
    assert nominal.confidence is not None
    assert nominal.confidence.instead is not None
    assert surer.answer is not None
    assert nominal.confidence.instead.cost == pytest.approx(surer.answer.cost_per_hour, rel=0.15)


@pytest.mark.parametrize("changes", [{"tp": (8,)}, {"tp": (8,), "verify": False}], ids=["simulated", "by formula"])
async def test_where_more_of_the_same_is_best_nothing_else_is_told(
    store: Store, workers: Watched, tmp_path: Path, changes: dict[str, Any]
) -> None:
    found = await made(store, workers, tmp_path, **changes)
    assert found.confidence is not None
    assert found.confidence.instead is None
    assert found.confidence.best_gpus == found.confidence.gpus
