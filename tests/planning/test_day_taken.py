"""Which day a study of a plan takes: the named one, the plan's own, or a shipped shape with a word on it."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.day import Day, Window
from fleettui.domain.demand import Demand
from fleettui.planning.day_taken import day_taken
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.make_plan import make_plan
from fleettui.planning.studies import asked, commands
from fleettui.planning.studies.study_context import make
from fleettui.reports.money_text import Terms
from store import Store
from tests.planning.simulated import Watched, question, trace

SHAPE = "servegen-deepseek-r1"


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep out a price list of whoever runs the tests."""
    monkeypatch.setenv("FLEETTUI_CONFIG", str(tmp_path / "config.toml"))


async def test_money_and_autoscale_take_the_plans_own_day_and_its_costs_are_over_it(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    """Found: money and autoscale of a plan with a day took another service's, $16.91/h for $24.78/h."""
    file = tmp_path / "day.csv"
    file.write_text("start,end,rate\n0,300,6\n300,600,20\n600,900,4\n")
    mine = replace(question(trace(tmp_path), verify=False), demand=Demand(), arrivals=f"profile:{file}")
    plan = await make_plan(mine, store=store, pool=workers)
    assert plan.demand.day_share == pytest.approx(0.5)
    file.unlink()  # the plan holds it
    kept = KeptPlan.of(store, "last")
    taken = day_taken(kept, "")
    assert (taken.day.name, taken.day.peak, taken.option, taken.caution) == ("day.csv", 20.0, "", "")
    for command, given in (("money", {}), ("autoscale", {"delay": "60s", "policies": "static-peak", "runs": "2"})):
        kind, values = asked(commands()[command], {"plan": "last", **given})
        study = await make(kind.kind, store, pool=workers, **values)
        assert "--day" not in study.question
        assert not any("another" in one for one in study.warnings)
        assert "day.csv" in " ".join((study.title, *study.sentences))
    assert day_taken(kept, SHAPE).caution == f"the day's shape is another service's, {SHAPE}: --day gives yours"
    placed = tmp_path / "my day.csv"
    placed.write_text("start,end,rate\n0,300,6\n300,900,20\n")
    study = await make("money", store, pool=workers, plan="last", day=str(placed), terms=Terms())
    assert f"money {kept.handle} --day '{placed}'" in study.question, "found: --day my day.csv, which is nowhere"
    old = replace(kept, workload=replace(kept.workload, day=None))
    assert day_taken(old, "").caution == (
        f"the plan does not hold its day, and the shape is another service's, {SHAPE}: --day {file} gives it"
    )
    windows = (Window(start=0.0, end=9.0, rate=1.0, workload="w"),)
    mixed = replace(kept, workload=replace(kept.workload, day=Day(name="mix.csv", windows=windows)))
    assert day_taken(mixed, "").caution.startswith("lengths change over mix.csv and here they do not")
    held = replace(old, scenario=replace(old.scenario, question=replace(mine, arrivals="poisson")))
    assert day_taken(held, "").caution == f"the day's shape is another service's, {SHAPE}: --day gives yours"
