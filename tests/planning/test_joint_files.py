"""A joint plan's JSON back from a file, and every file that is none."""

import json
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.study import Study, plans_of, table_of
from fleettui.errors import InputError
from fleettui.planning.joint_files import kept_joint_json, read_joint
from fleettui.planning.plan_files import inputs_of
from fleettui.reports.joint_check import ByFormula
from store import Store
from tests.store import samples


def kept(store: Store) -> dict[str, Any]:
    """Return a kept joint plan of one workload as data."""
    plan = samples.add(store).plan
    fleets = table_of(
        "Fleets",
        [plan.handle],
        ("name", "text", lambda _: "chat"),
        ("gpus", "count", lambda _: 8),
        ("cost", "dollars per hour", lambda _: 20.0),
        ("plan", "text", str),
    )
    study = store.add_study(Study(kind="joint", title="Joint plan two", sentences=("PASS: 8",), tables=(fleets,)))
    return kept_joint_json(store, study)


def test_what_is_written_is_read_again(store: Store, tmp_path: Path) -> None:
    plain, path = kept(store), tmp_path / "joint.json"
    path.write_text(json.dumps(plain))
    found, study = read_joint(str(path)), store.studies(1)[0]
    assert (found.study.handle, found.study.tables) == (study.handle, study.tables)
    chat = plans_of(study)["chat"]
    best = store.plan(chat).answer
    assert best is not None
    assert found.formula == ByFormula(fleets={"chat": (best.gpus, best.cost_per_hour)})
    assert found.inputs == {"chat": inputs_of(store, chat)}
    assert found.fleets == {"chat": best.fleet}
    path.write_text(json.dumps({name: value for name, value in plain.items() if name != "fleets"}))
    assert read_joint(str(path)).fleets == {}, "a file of before has none"
    assert list(found.asked_otherwise(found.inputs, study.engine_version)) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"schema": 7}, "no joint plan as data"),
        ({"study": {"kind": "sweep"}}, "no joint plan as data"),
        ({"study": None}, "no joint plan as data"),
        ({"formula": 3}, "no joint plan as data"),
        ({"tables": [3]}, "no joint plan as data"),
        ({"workloads": None}, "no joint plan as data"),
        ({"fleets": {"chat": 3}}, "no joint plan as data"),
    ],
)
def test_what_is_no_joint_plan_is_refused(store: Store, tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    path = tmp_path / "joint.json"
    path.write_text(json.dumps({**kept(store), **changes}))
    with pytest.raises(InputError, match=said):
        read_joint(str(path))


def test_a_file_of_before_says_that_it_is_to_be_written_anew(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "joint.json"
    path.write_text(json.dumps({name: value for name, value in kept(store).items() if name != "formula"}))
    with pytest.raises(InputError, match="does not say what it rests on"):
        read_joint(str(path))
    path.write_text("{")
    with pytest.raises(InputError, match="no joint plan as data"):
        read_joint(str(path))
