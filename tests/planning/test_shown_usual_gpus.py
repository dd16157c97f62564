"""Of the usual GPUs a plan without a fleet tells what simulations showed, those set aside where nothing else does."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.fleet import Pool
from fleettui.domain.plan import Candidate, Look
from fleettui.domain.remedy import USUAL_GPUS
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.shown_fleets import ShownFleets
from fleettui.planning.shown_usual_gpus import with_usual_gpus
from tests.planning.trials import evidence, shape
from tests.store import samples

ASKED = Question(workload="chat", slo=Slo(ttft=0.5), gpus=("h100",), budget=18.0)
INFEASIBLE = samples.infeasible()
MEASURED = replace(shape(4, gpu="b200"), cost_per_hour=17.33, model_error=0.1)
UNMEASURED = replace(shape(6, gpu="mi300x"), cost_per_hour=11.94, model_error=0.6)


def one_each(one: Candidate) -> tuple[Pool, ...]:
    """Return the pools of a fleet with one replica, fewer than which none has."""
    return tuple(replace(pool, replicas=1) for pool in one.fleet.pools)


async def told(monkeypatch: pytest.MonkeyPatch, holding: dict[str, float], *found: Candidate) -> tuple[str, int]:
    """Return what is told where fleets of some GPUs hold at a cost, and how many looks are kept.

    The formulas find those `found` that were not seen to fail, their choice first.
    """

    async def smallest(shown: ShownFleets, one: Candidate, _: float) -> list[Candidate]:
        gpu = one.fleet.pools[0].gpu
        held = replace(
            one, cost_per_hour=holding.get(gpu, 99.0), evidence=evidence("pass" if gpu in holding else "fail")
        )
        shown.looks.append(Look(rate=INFEASIBLE.demand.rate, candidate=held))
        return [held] if gpu in holding else []

    async def run(_: str, __: Any, *, seen: tuple[Candidate, ...], **___: Any) -> list[Candidate]:
        failed = {one.fleet for one in seen if one.simulation is not None and one.simulation.verdict == "fail"}
        return [one for one in found if one.fleet not in failed]

    monkeypatch.setattr(ShownFleets, "_smallest", smallest)
    workers: Any = SimpleNamespace(run=run)
    store: Any = None
    answer = await with_usual_gpus(INFEASIBLE, ASKED, samples.workload(), store=store, workers=workers, report=None)
    (said,) = [one for one in answer.why if one.startswith(USUAL_GPUS)] or [""]
    return said.rpartition("alone) ")[2], len(answer.looks)


async def test_what_is_known_less_is_told_only_where_nothing_else_was_seen_to_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Found: L40S + B200 by formula, $17.33/h, which failed as simulated, and nothing of 6 MI300X, which held."""
    both = MEASURED, UNMEASURED
    assert await told(monkeypatch, {"b200": 17.33, "mi300x": 11.94}, *both) == (
        "a fleet would do, as simulated: B200 tp2 x4, at most $17.33/h",
        1,
    )
    assert await told(monkeypatch, {"mi300x": 11.94}, *both) == (
        "a fleet would do, as simulated: MI300X tp2 x6, at most $11.94/h",
        2,
    )


async def test_what_is_known_less_is_told_where_the_formulas_choose_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found: B200, $21.00/h, where the plan without --gpu answered MI300X for $15.92/h, which is surer for less."""
    both = replace(UNMEASURED, fleet=replace(UNMEASURED.fleet, pools=one_each(UNMEASURED))), MEASURED
    assert await told(monkeypatch, {"b200": 17.33, "mi300x": 11.94}, *both) == (
        "a fleet would do, as simulated: MI300X tp2 x1, $11.94/h",
        1,
    )


async def test_that_nothing_was_seen_to_hold_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await told(monkeypatch, {}, MEASURED) == ("no fleet was seen to hold either, as simulated in short", 1)
    assert await told(monkeypatch, {}) == ("", 0)
