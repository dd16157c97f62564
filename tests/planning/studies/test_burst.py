"""A window with more traffic on a small kept plan's fleet."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.errors import InputError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.simulate import simulate
from fleettui.planning.studies import asked
from fleettui.planning.studies.study_context import make
from fleettui.planning.studies.whatif import WHATIF, read_line
from fleettui.reports.study_text import study_text
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace


def values(line: str = "burst x4 down 1 prompts x1.5 batch 200 for 20s at 20s over 2min runs 2") -> dict[str, Any]:
    return asked(WHATIF, {"plan": "last", **read_line(line)})[1]


@pytest.mark.thorough
async def test_a_window_fills_the_fleet_and_it_recovers(store: Store, workers: Watched, tmp_path: Path) -> None:
    plan = await simulate(sketch(3), question(trace(tmp_path), verify=False), store=store, pool=workers)
    workers.asked.clear()
    study = await make("burst", store, pool=workers, **values())
    assert workers.asked.count("burst-replay") == 2
    assert (study.kind, study.plan, store.study(study.handle)) == ("burst", plan.plan.id, study)
    asked_for = "--burst x4 --for 20s --at 20s --over 120s --down 1 --prompts x1.5 --batch 200 --runs 2"
    assert study.question == f"whatif {plan.plan.handle} {asked_for}"
    assert "4 times the rate and 1 replica of each pool away and prompts 1.5 times as long" in study.sentences[0]
    phases, (pool,), moments, _ = (table.records() for table in study.tables)
    by_name = {str(row["phase"]): row for row in phases}
    assert [*by_name] == ["before", "inside", "recovering", "after"]
    rates = [float(by_name[name]["rate"] or 0.0) for name in ("before", "inside", "after")]
    assert rates == [pytest.approx(rate, rel=0.2) for rate in (20.0, 80.0, 20.0)]
    met = {name: float(row["slo_met"] or 0.0) for name, row in by_name.items()}
    assert met["inside"] < met["before"]
    assert pool["not_recovered"] == 0
    assert float(pool["recovery"] or 0.0) > 0.0
    assert len(moments) == 24
    assert max(map(len, study_text(study).splitlines())) <= 80


async def test_a_replica_that_is_slow_in_the_window_is_well_again_after_it(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    await simulate(sketch(3), question(trace(tmp_path), verify=False), store=store, pool=workers)
    study = await make("burst", store, pool=workers, **values("burst x1 slow 10% for 20s at 20s over 3min runs 2"))
    assert study.question.endswith("--burst x1 --for 20s --at 20s --over 180s --slow 10% --runs 2")
    assert study.sentences[0].startswith("one replica of each pool at 10% speed for 20 s: ")
    met = {str(row["phase"]): float(row["slo_met"] or 0.0) for row in study.tables[0].records()}
    assert met["inside"] < met["before"]
    assert met["inside"] < met["after"]


async def test_what_cannot_be_played_is_refused(store: Store, workers: Watched, tmp_path: Path) -> None:
    own = question(trace(tmp_path), verify=False)
    await simulate(sketch(3), own, store=store, pool=workers)
    for line, words in (
        ("burst x2 for 5min at 10min over 12min", "the run ends before the window does"),
        ("burst x1", "the window changes nothing"),
        ("burst x2 down 3", "no replica of pool all would be left"),
        ("burst x2 over 1000h", "these runs would take long"),
    ):
        with pytest.raises(InputError, match=words) as refusal:
            await make("burst", store, pool=workers, **values(line))
        assert len(str(refusal.value).splitlines()) <= 3
    fast = Demand(form="rate", rate=400.0)
    await simulate(sketch(1), replace(own, demand=fast), store=store, pool=workers)
    with pytest.raises(InputError, match="it does not keep up with the plan's own rate"):
        await make("burst", store, pool=workers, **values("burst x2"))


async def test_spare_replicas_serve_as_where_failures_are_played(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """As many may be away as the plan pays for, but for one."""
    asked_for = question(trace(tmp_path), verify=False, availability=0.97, max_utilization=0.7)
    plan = await make_plan(asked_for, store=store, pool=workers)
    assert plan.answer is not None
    (pool,) = plan.answer.fleet.pools
    assert pool.spares > 0
    with pytest.raises(InputError, match="no replica of pool all would be left") as refusal:
        await make("burst", store, pool=workers, **values(f"burst x1 down {pool.replicas + pool.spares}"))
    assert refusal.value.accepted == f"fewer than its {pool.replicas + pool.spares}"
    workers.asked.clear()


def test_what_is_asked_is_read() -> None:
    found = values("burst x1.5 for 5m")
    assert (found["factor"], found["seconds"], found["start"], found["end"]) == (1.5, 300.0, 300.0, None)
    assert (found["down"], found["runs"], found["batch"]) == (0, 5, None)
    assert values("burst x1 outputs x2 batch 64")["outputs"] == 2.0
    for line, words in (
        ("burst twice", "this is no factor"),
        ("burst 0", "factor must be above zero"),
        ("burst x2 for 5", "--for: duration needs a unit"),
        ("burst x2 runs 1", "this is no whole number, 2 or above"),
        ("burst x2 runs 101", "too many runs"),
        ("burst x2 down 0", "this is no whole number, 1 or above"),
        ("steps for 5min", "this goes with --burst"),
    ):
        with pytest.raises(InputError, match=words):
            values(line)
