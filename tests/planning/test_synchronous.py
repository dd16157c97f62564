import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fleettui
from fleettui import Demand, InputError, Question, Slo, Store
from fleettui.planning import results
from fleettui.reports.schema_two import schema_one
from tests.test_house import BLOCKS

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


NAMES = ("question", "plan", "whatif", "compare", "verify", "simulate", "load")


def readme() -> str:
    """Return README's Python word for word, but for less traffic, a plan by formula and the handle that is loaded."""
    lines: str = next(block for block in BLOCKS if block.startswith("from fleettui import"))
    small = {
        'rate="100/s"': 'rate="1/s", tp=8, pools=1, verify=False, precision=0.2',
        "precision=0.01": "precision=0.2",
        '"41a7"': "found.plan.handle",
    }
    for words, own in small.items():
        assert lines.count(words) == 1
        lines = lines.replace(words, own)
    return lines


@pytest.mark.evidence
def test_the_lines_of_readme_run_and_everything_is_a_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One plan is asked, studied, compared, proven, simulated as a given fleet, loaded, and told as data and frames."""
    came: dict[str, Any] = {}

    def recorded(name: str) -> Callable[..., object]:
        does = getattr(fleettui, name)

        def record(*words: object, **named: object) -> object:
            came[name] = does(*words, **named)
            return came[name]

        return record

    fleettui.plan(FORMULA)
    for name in NAMES:
        monkeypatch.setattr(fleettui, name, recorded(name), raising=False)
    monkeypatch.setattr("fleettui.planning.rounds.MOST_REQUESTS", 0)
    monkeypatch.chdir(tmp_path)
    Path("fleet.yaml").write_text("pools: [{gpu: h100, tp: 8, replicas: 1}]\n", "utf-8")
    exec(readme(), {})
    planned, more, given = came["plan"], came["verify"], came["simulate"]
    assert capsys.readouterr().out == f"pass 8\n{planned}\n"
    assert came["question"] == replace(FORMULA, step_law="kernels"), "as the command line asks"
    assert planned.to_dict() == json.loads(json.dumps(planned.to_dict()))
    assert schema_one(planned.to_dict(2)) == planned.to_dict()
    assert list(planned.to_frame()["cost_per_hour"]) == [one.cost_per_hour for one in planned.candidates]
    assert more.answer.simulation.replications >= 10
    assert given.answer.simulation is not None
    assert list(came["whatif"].to_frame()["gpus"]) == [8], "one replica lasts all along"
    assert {"section", "label", planned.plan.handle} <= set(came["compare"].to_frame().columns)
    assert came["compare"].to_dict()["plans"][1]["id"] == planned.plan.id
    assert came["load"] == fleettui.load(planned.plan.handle)
    assert all(len(str(value).splitlines()) > 3 for value in (planned, came["whatif"], came["compare"]))


@pytest.mark.thorough
def test_a_study_of_several_points_is_a_table(tmp_path: Path) -> None:
    base = tmp_path / "plans.db"
    planned = fleettui.plan(FORMULA, database=base)
    swept = fleettui.whatif(planned, sweep="rate=1/s,2/s", database=base)
    assert [row["rate"] for row in swept.to_frame().to_dict("records")] == [1.0, 2.0]
    assert fleettui.load(swept.study.handle, database=base) == swept


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
