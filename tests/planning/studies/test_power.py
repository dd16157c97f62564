"""A small kept plan's fleet under caps, and its energy."""

from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.planning import capped_proof, power_trials, power_window
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.simulate import simulate
from fleettui.planning.studies import burst
from fleettui.planning.studies import power as study_of_power
from fleettui.planning.studies.power import drawing
from fleettui.planning.studies.study_context import make
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import power
from fleettui.reports.study_text import study_text
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace


@pytest.mark.thorough
async def test_the_deepest_cap_is_simulated_and_what_cannot_be_capped_is_refused(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(power_trials, "MOST_TRIES", 1)
    monkeypatch.setattr(capped_proof, "LEAST_RUNS", 2)
    plan = await simulate(sketch(4), question(trace(tmp_path), verify=False), store=store, pool=workers)
    study = await make("power", store, pool=workers, plan="last")
    assert (study.kind, study.plan, store.study(study.handle)) == ("power", plan.plan.id, study)
    clocks, batches = (table.records() for table in study.tables)
    assert clocks[0]["cap"] == 1.0
    watts = [float(row["power"] or 0) for row in clocks]
    assert watts == sorted(watts, reverse=True)
    slower = [float(row["tpot"] or 1e9) for row in clocks]
    assert slower == sorted(slower)
    assert any("simulated" in str(row["it"]) for row in clocks)
    assert batches[0]["sequences"] == 256
    same = [(row["ttft"], row["tpot"]) for row in (clocks[0], batches[0])]
    assert same[0] == pytest.approx(same[1]), "without a cap both tables have what the plan's simulation showed"

    with pytest.raises(InputError, match="cannot slow down within a run"):
        await make("power", store, pool=workers, plan="last", seconds=75.0)
    energy = await make("energy", store, pool=workers, plan="last")
    own, others = (table.records() for table in energy.tables)
    tokens = [float(row["of_gpus"] or 0) for row in own]
    assert tokens == sorted(tokens)
    assert len(others) == 1

    kept = KeptPlan.of(store, "last")
    scenario = replace(kept.scenario, question=replace(kept.question, power_cap=600.0))
    with pytest.raises(InputError, match="capped already"):
        drawing(replace(kept, scenario=scenario))
    assert kept.answer.answer is not None
    fleet = kept.answer.answer.fleet
    (pool,) = fleet.pools
    given = replace(fleet, pools=(replace(pool, profile=replace(pool.profile, base_step_time=0.03)),))
    with pytest.raises(InputError, match="were written down"):
        power.levels(
            Context(), source=kept.source("given", kept.profiles), fleet=given, kind="clock", shares=(1.0, 0.9)
        )


@pytest.mark.evidence
async def test_for_a_while_the_fleet_bears_a_deeper_cap(
    store: Store, workers: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(power_trials, "MOST_TRIES", 0)
    monkeypatch.setattr(power_trials, "CLOCKS", (1.0, 0.9, 0.6, 0.25))
    monkeypatch.setattr(power_trials, "BATCHES", (1.0, 0.5, 1 / 256))
    monkeypatch.setattr(power_window, "START", 20.0)
    monkeypatch.setattr(burst, "QUIET", 30.0)
    monkeypatch.setattr(study_of_power, "RUNS", 2)
    asked = question(trace(tmp_path), slo=Slo(ttft=0.3), verify=False, step_law="kernels")
    await simulate(sketch(4), asked, store=store, pool=workers)
    study = await make("power", store, pool=workers, plan="last", seconds=10.0)
    assert study.question.endswith(" --for 10s")
    played = {str(row["cap"]): row for row in study.tables[2].records()}
    assert played["60% of W"]["it"] == "holds"
    assert any("for 10 s each GPU may fall to" in one and "2 runs" in one for one in study.sentences)
    assert any("for 10 s a replica may run at most" in one for one in study.sentences)
    assert max(map(len, study_text(study).splitlines())) <= 80
