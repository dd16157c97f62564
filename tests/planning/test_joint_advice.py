"""What is advised in a joint plan is tried over the whole stock, with offers made up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from fleettui.domain.advice import Advice
from fleettui.domain.joint import Entry, JointQuestion, Kind, Offered, Option, Planned, SharedLimits
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.joint_advice import TriedTogether
from fleettui.planning.proven_advice import ProvenAdvice
from fleettui.planning.studies.study_context import StudyContext
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.joint import choice
from tests.reports.conftest import simulated
from tests.reports.studies.test_sweep import PLAN

H100 = Kind(name="h100", price=2.0, per_node=8)
ASKED = Question(slo=Slo(ttft=0.5))
BURSTS = Advice(
    question=replace(ASKED, seed=2), rate=9.0, found=None, saves=False, words="bursts: below 9/s: {taken}, --rate 9/s"
)
LOOSER = Advice(
    question=replace(ASKED, seed=3),
    rate=5.0,
    found=None,
    saves=True,
    words="pool all: looser takes {taken}: --slo-ttft 1s",
)


def fleets(*gpus: int) -> tuple[Option, ...]:
    return tuple(Option(gpus=(count,), watts=0.0) for count in gpus)


@dataclass(frozen=True, slots=True)
class Kept:
    """A plan of which its id is all that counts."""

    id: str
    profiles: tuple[()] = ()

    def source(self, key: str, _: tuple[()]) -> str:
        return key


@dataclass(frozen=True, slots=True)
class Desk:
    """Answers the tasks of advice: `worth` is what is advised of chat, `offered` the fleets of each seed's question."""

    worth: tuple[Advice, ...]
    offered: dict[int, tuple[Option, ...]]
    workers: None = None

    def kept(self, plan: str) -> Kept:
        return Kept(id=plan)

    async def run(self, task: str, _kind: object, **given: Any) -> object:
        if task == "advice":
            return self.worth if given["source"] == "advice chat" else ()
        if task == "joint-options":
            return Offered(kinds=(H100,), options=self.offered[given["question"].seed], rate=1.0)
        assert task == "joint-choice"
        return choice(Context(), **{**given, "tables": tuple(map(tuple, given["tables"]))})


async def told(
    stock: int, *worth: Advice, offered: dict[int, tuple[Option, ...]], plan: Answer = PLAN
) -> tuple[str, ...]:
    entries = tuple(Entry(name=name, question=replace(ASKED, name=name)) for name in ("chat", "code"))
    question = JointQuestion(name="two", entries=entries, limits=SharedLimits(max_gpus=(("h100", stock),)))
    tried = TriedTogether(
        desk=cast("StudyContext", Desk(worth, offered)),
        question=question,
        kinds=(H100,),
        tables=[fleets(16), fleets(8)],
        trace_format=None,
    )
    plans = [replace(plan, plan=replace(plan.plan, id=entry.name)) for entry in entries]
    return await tried.advice([Planned(entry=entry, plan=plan) for entry, plan in zip(entries, plans, strict=True)])


async def test_a_rate_is_told_with_what_all_take_then() -> None:
    more = await told(64, BURSTS, offered={2: fleets(24)})
    assert more == ("chat: below 9/s: ~$16.00/h more by formula (+8 H100)",)
    assert await told(64, BURSTS, offered={2: fleets(16)}) == (), "what changes nothing is not said"


async def test_a_rate_that_the_stock_cannot_bear_is_told_so() -> None:
    """Alone the workload would take 8 more, of which two are there."""
    found = await told(26, BURSTS, offered={2: fleets(24)})
    assert found == ("chat: below 9/s: all do not fit, by formula",)


async def test_a_fleet_that_fits_beside_the_others_is_told_by_what_it_costs_and_by_its_gpus() -> None:
    """Found: "~6 GPUs more in all", where 8 H200 took the place of 5 H100 for $17.25/h more."""
    best = PLAN.answer
    assert best is not None
    (pool,) = best.fleet.pools
    other = replace(best.fleet, pools=(replace(pool, gpu="a100", replicas=12),))
    found = replace(best, fleet=other, gpus=96, cost_per_hour=best.cost_per_hour + 141.6)
    line = await told(64, replace(BURSTS, found=found), offered={2: fleets(24)})
    assert line == ("chat: below 9/s: ~$141.60/h more by formula (+96 A100, -48 H100)",)
    long = replace(BURSTS, found=found, words="bursts: 99.5% of the minutes are below 9/s: {taken}, --rate 9/s")
    (brief,) = await told(64, long, offered={2: fleets(24)})
    assert brief == "chat: 99.5% of the minutes are below 9/s: ~$141.60/h more by formula"
    same = replace(LOOSER, found=replace(found, cost_per_hour=best.cost_per_hour))
    assert await told(64, same, offered={3: fleets(16)}) == (), "what saves nothing is not said"


async def test_a_fleet_that_was_simulated_is_a_bound_on_what_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    best = PLAN.answer
    assert best is not None
    (pool,) = best.fleet.pools
    sized = {size: replace(best.fleet, pools=(replace(pool, replicas=size),)) for size in (5, 7)}
    more = replace(BURSTS, found=replace(best, fleet=sized[7], cost_per_hour=165.2))
    less = replace(LOOSER, found=replace(best, fleet=sized[5], cost_per_hour=118.0))

    async def shown(self: ProvenAdvice) -> list[tuple[Advice, bool]]:
        return [(more, True), (less, True)] if self.source == cast("object", "advice chat") else []

    monkeypatch.setattr(ProvenAdvice, "shown", shown)
    proven = replace(PLAN, answer=simulated(best))
    assert await told(128, offered={2: fleets(24)}, plan=proven) == (
        "chat: below 9/s: at most $23.60/h more (+8 H100)",
        "chat: looser takes at least $23.60/h less (-8 H100): --slo-ttft 1s",
    )


async def test_a_fleet_that_does_not_fit_beside_the_others_is_chosen_anew_with_theirs() -> None:
    best = PLAN.answer
    assert best is not None
    (pool,) = best.fleet.pools
    larger = replace(best, fleet=replace(best.fleet, pools=(replace(pool, replicas=12),)), cost_per_hour=283.2)
    line = await told(64, replace(BURSTS, found=larger), offered={2: fleets(24)})
    assert line == ("chat: below 9/s: ~$16.00/h more by formula (+8 H100)",)


async def test_a_looser_limit_is_told_where_all_take_fewer() -> None:
    found = await told(64, LOOSER, offered={3: fleets(8)})
    assert found == ("chat: looser takes ~$16.00/h less by formula (-8 H100): --slo-ttft 1s",)
    assert await told(64, LOOSER, offered={3: ()}) == ()


@pytest.mark.parametrize("stock", [20, 23])
async def test_nothing_is_advised_where_the_formulas_have_no_choice(stock: int) -> None:
    assert await told(stock, BURSTS, LOOSER, offered={2: fleets(24), 3: fleets(8)}) == ()
