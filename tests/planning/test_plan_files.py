"""A plan's JSON and back from a file, and every file that is none."""

import json
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.plan import PoolFigures
from fleettui.errors import InputError
from fleettui.planning.plan_files import inputs_of, is_plan_file, kept_json, read_plan
from fleettui.reports import fleet_file
from fleettui.reports.schema_two import schema_two
from store import Store
from tests.store import samples


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "plans.db", clock=samples.clock()) as opened:
        yield opened


@pytest.fixture
def plain(store: Store) -> dict[str, Any]:
    """Return a kept plan as data."""
    return kept_json(store, samples.add(store).plan.id)


def written(folder: Path, plain: object) -> str:
    path = folder / "plan.json"
    path.write_text(plain if isinstance(plain, str) else json.dumps(plain))
    return str(path)


def test_what_is_written_is_read_again(store: Store, plain: dict[str, Any], tmp_path: Path) -> None:
    found, kept = read_plan(written(tmp_path, plain)), store.plan("last")
    assert (found.answer.plan, found.answer.answer, found.answer.candidates) == (kept.plan, kept.answer, ())
    assert found.inputs == inputs_of(store, "last")
    assert found.inputs.question == store.question("last")
    assert found.inputs.formula is not None
    assert kept.answer is not None
    assert found.inputs.formula.cost_per_hour == kept.answer.cost_per_hour


def test_the_formulas_choice_stands_beside_what_a_simulation_moved(store: Store) -> None:
    samples.prove(store)
    inputs = inputs_of(store, "last")
    assert inputs.formula is not None
    assert inputs.formula.method == "formula"


def test_a_plan_without_a_fleet_is_a_baseline_too(store: Store, tmp_path: Path) -> None:
    plain = kept_json(store, samples.add(store, samples.infeasible()).plan.id)
    found = read_plan(written(tmp_path, plain))
    assert (found.answer.verdict, found.answer.answer, found.inputs.formula) == ("infeasible", None, None)


def test_figures_that_are_undefined_are_read_as_such(plain: dict[str, Any], tmp_path: Path) -> None:
    plain["answer"]["pools"][0]["wait"] = None
    answer = read_plan(written(tmp_path, plain)).answer.answer
    assert answer is not None
    pool: PoolFigures = answer.pools[0]
    assert pool.wait != pool.wait


def test_a_file_that_is_no_plan_is_refused_in_a_few_lines(plain: dict[str, Any], tmp_path: Path) -> None:
    broken = {
        "": "no plan as data",
        "{": "plan.json line 1: this is no plan as data",
        "[]": "no plan as data",
        "[" * 100_000: "no plan as data",
        '{"schema": ' + "9" * 5000 + "}": "no plan as data",
        json.dumps({"schema": 1, "studies": []}): "no plan as data",
        json.dumps({**plain, "schema": 3}): "no plan as data of schema 1",
        json.dumps({name: one for name, one in plain.items() if name != "inputs"}): "does not say what it rests on",
        json.dumps({**plain, "inputs": {}}): "no plan as data",
        json.dumps({**plain, "answer": {"pools": [1]}}): "no plan as data",
        json.dumps({**plain, "verdict": "fine"}): "no plan as data",
        json.dumps({**plain, "inputs": {**plain["inputs"], "question": {"slo": {"percentile": 7}}}}): "percentile",
        json.dumps({**plain, "demand": {**plain["demand"], "rate": -1}}): "beyond any fleet",
    }
    for text, words in broken.items():
        with pytest.raises(InputError, match=words) as refused:
            read_plan(written(tmp_path, text))
        assert "plan.json" in str(refused.value)
        assert len(str(refused.value).splitlines()) <= 3
    for path in (str(tmp_path / "nosuch.json"), str(tmp_path)):
        with pytest.raises(InputError):
            read_plan(path)


def test_a_question_is_no_plan_of_the_store_and_is_refused_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "question.yaml"
    path.write_text("workload: azure-2023-conv\nrate: 20/s\n", "utf-8")
    assert is_plan_file(str(path))
    with pytest.raises(InputError, match=r"question\.yaml line 1: this is no plan as data\n.*show ID --json"):
        read_plan(str(path))


def test_a_plan_of_schema_2_is_read_as_one_of_schema_1(plain: dict[str, Any], tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_text(json.dumps(plain), "utf-8")
    two.write_text(json.dumps(schema_two(plain)), "utf-8")
    assert read_plan(str(two)) == read_plan(str(one))
    assert fleet_file.read(two.read_text("utf-8"), "two") == fleet_file.read(one.read_text("utf-8"), "one")
