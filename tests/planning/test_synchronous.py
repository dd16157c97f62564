import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import fleettui
from fleettui import Demand, FleetSketch, InputError, PoolSketch, Question, Slo, Store
from fleettui.planning import results

QUESTION = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=1.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    tp=(8,),
    pools=(1,),
    precision=0.2,
)
FORMULA = replace(QUESTION, verify=False)


def test_the_answer_is_kept_where_asked(tmp_path: Path) -> None:
    file = tmp_path / "plans.db"
    answer = fleettui.plan(QUESTION, database=str(file))
    assert answer.answer is not None
    assert answer.answer.evidence is not None
    assert answer.answer.evidence.method == "simulation"
    with Store.open(file) as store:
        assert store.plan("last") == answer.answer_kept
        assert store.question("last") == answer.question
        assert store.job("last").state == "done"
    with Store.open() as store:
        assert store.plans() == ()


async def test_it_works_inside_a_running_event_loop() -> None:
    assert fleettui.plan(FORMULA).verdict == "pass"


async def test_a_refusal_comes_out_of_the_thread() -> None:
    with pytest.raises(InputError, match="unknown"):
        fleettui.plan(replace(QUESTION, model="llama"))


def test_everything_that_the_commands_do_is_a_value(tmp_path: Path) -> None:
    """One plan is asked, simulated as a given fleet, studied, compared, loaded, and told as data and as data frames."""
    base = tmp_path / "plans.db"
    texts = {"rate": "1/s", "slo_ttft": "500ms", "gpu": "h100", "tp": "8", "pools": 1, "precision": 0.2}
    asked = fleettui.question("azure-2023-conv", **texts, verify=False)
    assert asked == replace(FORMULA, step_law="kernels"), "as the command line asks"
    planned = fleettui.plan(asked, database=base)
    assert planned.answer is not None
    pool = PoolSketch(name="all", gpu="h100", tp=8, replicas=planned.answer.gpus // 8)
    simulated = fleettui.simulate(FleetSketch(pools=(pool,)), replace(asked, verify=True), database=base)
    assert simulated.answer is not None
    assert simulated.answer.simulation is not None
    more = fleettui.verify(simulated, precision=0.1, database=base)
    assert more.answer is not None
    assert more.answer.simulation is not None
    assert more.answer.simulation.replications >= simulated.answer.simulation.replications
    swept = fleettui.whatif(planned, sweep="rate=1/s,2/s", database=base)
    assert [row["rate"] for row in swept.to_frame().to_dict("records")] == [1.0, 2.0]
    held = fleettui.compare(planned, more, database=base)
    assert held.to_dict()["plans"][1]["id"] == more.plan.id
    assert {"section", "label", planned.plan.handle} <= set(held.to_frame().columns)
    assert fleettui.load(planned.plan.handle, database=base) == planned
    assert fleettui.load(swept.study.handle, database=base) == swept
    table = planned.to_frame()
    assert list(table["cost_per_hour"]) == [one.cost_per_hour for one in planned.candidates]
    assert planned.to_dict() == json.loads(json.dumps(planned.to_dict()))
    assert all(len(str(value).splitlines()) > 3 for value in (planned, swept, held))


def test_what_is_no_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="whatif"):
        fleettui.study("what", database=tmp_path / "plans.db")
    study = fleettui.study("published", "fo t2", database=tmp_path / "plans.db")
    with pytest.raises(InputError, match="0 to 0"):
        study.to_frame(99)


def test_without_a_library_of_data_frames_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = fleettui.plan(FORMULA, database=tmp_path / "plans.db")
    for name in results.FRAMES:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match="pip install pandas"):
        planned.to_frame()
