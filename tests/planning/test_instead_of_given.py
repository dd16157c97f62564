"""What a plan would take instead of a fleet that was given and does not hold."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.plan import Answer, Candidate, Look
from fleettui.domain.remedy import INSTEAD
from fleettui.domain.slo import Slo
from fleettui.planning.instead_of_given import with_instead
from fleettui.planning.make_plan import make_plan
from fleettui.planning.shown_fleets import ShownFleets
from fleettui.planning.simulate import simulate
from fleettui.reports.plan_text import plan_text
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace
from tests.planning.test_measured_of_equals import KNOWN, QUESTION
from tests.planning.trials import evidence, shape
from tests.store import samples

pytestmark = pytest.mark.looks


def instead(answer: Answer) -> list[str]:
    return [reason for reason in answer.why if reason.startswith(INSTEAD)]


async def test_a_fleet_that_fails_is_told_what_a_plan_would_take(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """Found: 16 H100 are short by 4 like them, for $59/h, where a plan takes 6 B200 for $31.50/h."""
    asked = question(trace(tmp_path), gpus=(), tp=(), demand=Demand(form="rate", rate=15.0), slo=Slo(ttft=0.25))
    answer = await simulate(sketch(4, tp=4), asked, store=store, pool=workers)
    assert answer.verdict == "fail"
    (told,) = instead(answer)
    plan = (await make_plan(asked, store=store, pool=workers)).answer
    assert plan is not None
    (pool,) = plan.fleet.pools
    assert told.startswith(f"{INSTEAD}{pool.gpu.upper()} tp")
    cost = f"${plan.cost_per_hour:.2f}/h, ${47.2 - plan.cost_per_hour:.2f}/h less"
    assert told.endswith(f" would do, as simulated: {cost}; fleettui plan proves it or a cheaper one")
    assert store.plan("last~1").why == answer.why, "it is kept"
    page = plan_text(answer, asked)
    assert f"\ninstead {pool.gpu.upper()} tp" in page
    assert page.count("would do, as simulated") == 1, "it is no reason once more"


async def test_nothing_is_told_of_a_fleet_that_holds(store: Store, workers: Watched, tmp_path: Path) -> None:
    asked = question(trace(tmp_path), gpus=(), tp=())
    workers.asked.clear()
    answer = await simulate(sketch(4), asked, store=store, pool=workers)
    assert answer.verdict == "pass"
    assert instead(answer) == []
    assert "usual_gpus" not in workers.asked


async def test_what_was_simulated_to_take_more_gives_way_to_another_make(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found: H200 + B200 for $19.75/h, $14.50/h by formula, where the plan took 3 B200 for $15.75/h.

    That their steps are not those of the question's own fit was not said either.
    """
    first, other = (replace(shape(size, gpu="b200"), cost_per_hour=cost) for size, cost in ((2, 14.5), (3, 15.75)))
    first = replace(first, fleet=replace(first.fleet, admission="reserved"))

    async def smallest(shown: ShownFleets, one: Candidate, _: float) -> list[Candidate]:
        held = replace(one, cost_per_hour=19.75 if one is first else one.cost_per_hour, evidence=evidence("pass"))
        shown.looks.append(Look(rate=shown.simulator.source.rate, candidate=held))
        return [held]

    async def run(_: str, __: Any, *, most: int = 1, **___: Any) -> list[Candidate]:
        return [first, other][:most]

    monkeypatch.setattr(ShownFleets, "_smallest", smallest)
    prover = SimpleNamespace(store=None, workers=SimpleNamespace(run=run), seed=1, report=None)
    trials: Any = SimpleNamespace(question=QUESTION, prover=prover)
    short = replace(KNOWN, cost_per_hour=17.7, evidence=evidence("fail"))
    failing = replace(samples.answer(1), verdict="fail", answer=short, candidates=(), why=(), looks=())
    (told,) = instead(await with_instead(trials, failing, samples.workload()))
    assert told == (
        f"{INSTEAD}B200 tp2 x3 (b200 tp2 not fitted) would do, as simulated: $15.75/h, $1.95/h less; "
        "fleettui plan proves it or a cheaper one"
    )
