"""An answer uses all of the whole nodes that it pays for."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Answer, Candidate, Verdict
from fleettui.domain.scenario import Question
from fleettui.domain.size_curve import SizeCurve
from fleettui.domain.slo import Slo
from fleettui.planning.make_plan import make_plan
from fleettui.planning.paid_nodes import in_all_paid, reasons_in_paid
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import run
from fleettui.planning.trial import Trial
from store import Store
from tests.planning.simulated import Watched
from tests.planning.trials import curves, evidence, scaled, shape


def tried(one: Candidate, sizes: tuple[int, ...], verdict: Verdict) -> Trial:
    fleet = replace(scaled(one, sizes), evidence=evidence(verdict))
    return Trial(candidate=fleet, pools=(verdict,), utilization=(0.5,), shares=((0.5,),))


@pytest.mark.parametrize(
    ("size", "seen", "verdict", "changes", "attempted"),
    [
        (6, "pass", "pass", {}, [(8,)]),
        (6, "pass", "fail", {}, [(8,)]),
        (8, "pass", "pass", {}, []),
        (6, "fail", "pass", {}, []),
        (6, "pass", "pass", {"whole_nodes": False}, []),
        (6, "pass", "pass", {"objective": "power"}, []),
    ],
    ids=["filled", "does not hold", "full", "fails itself", "single GPUs", "watts decide"],
)
async def test_what_an_answer_leaves_of_its_nodes_is_filled_and_simulated(
    size: int, seen: Verdict, verdict: Verdict, changes: dict[str, Any], attempted: list[tuple[int, ...]]
) -> None:
    best, asked = shape(4), list[tuple[int, ...]]()

    async def curves_of(fleets: Sequence[Fleet]) -> list[tuple[SizeCurve, ...]]:
        assert len(fleets) == 1
        return [tuple(replace(one, lot=8) for one in curves(best))]

    async def attempt(one: Candidate, sizes: tuple[int, ...]) -> Trial:
        asked.append(sizes)
        return tried(one, sizes, verdict)

    question = Question(slo=Slo(ttft=0.5), **{"whole_nodes": True, **changes})
    trials: Any = SimpleNamespace(question=question, attempt=attempt, prover=SimpleNamespace(curves=curves_of))
    found = await in_all_paid(trials, tried(best, (size,), seen))
    assert asked == attempted
    assert (found is not None) is (attempted != [] and verdict == "pass")


def test_why_there_are_more_than_would_do_stands_in_place_of_what_one_fewer_breaks() -> None:
    reasons = ("pool all: one replica fewer fails in simulation", "H100 tp2 x3 might do for up to 9% less")
    told = "H100 tp2 x4 holds, too, and costs as much: whole nodes are paid for"
    assert reasons_in_paid(shape(4), reasons) == (told, reasons[1])


ASKED = Question(
    workload="azure-2023-conv",
    model="llama-3.1-70b",
    dtype="fp8",
    slo=Slo(ttft=1.0, tpot=0.045),
    demand=Demand(form="rate", rate=20.0),
    gpus=("h100",),
    tp=(4,),
    pools=(1,),
    step_law="kernels",
    whole_nodes=True,
)
"""What 12 GPUs would answer, of which two nodes hold 16."""


@pytest.mark.thorough
@pytest.mark.looks
@pytest.mark.own_workers
async def test_a_plan_is_as_sure_as_what_it_pays_for(store: Store) -> None:
    """Found: 12 H100, 58 % sure, with the words that 16 like these, at the same price, are 90 % sure."""
    async with Watched() as workers:
        check(await make_plan(ASKED, store=store, pool=workers))


def test_so_is_a_plan_by_formula() -> None:
    check(run(Context(), question=replace(ASKED, verify=False)).answer)


def check(found: Answer) -> None:
    """Hold that an answer uses both nodes, and says so."""
    assert found.answer is not None
    assert found.confidence is not None
    assert found.answer.gpus == 16
    assert found.confidence.holds >= 0.9
    assert found.why[0] == "H100 tp4 x3 holds, too, and costs as much: whole nodes are paid for"
    assert found.why.count("whole nodes: 16 h100 are paid for, 0 of them left over") == 1
    assert not any("4 of them left over" in one for one in found.why)
    assert [pool.limited_by for pool in found.answer.pools] == ["whole nodes"]
