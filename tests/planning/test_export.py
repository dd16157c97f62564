import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fleettui.planning.export import SUFFIXES, export
from fleettui.planning.plan_files import kept_json
from fleettui.planning.report import report_plan, written
from fleettui.planning.simulate import simulate
from fleettui.planning.worker_pool import WorkerPool
from fleettui.reports import fleet_file
from fleettui.reports.question import conversion, question_file
from store import Store
from tests.planning.simulated import question, sketch, trace
from tests.store import samples


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "plans.db", clock=samples.clock()) as opened:
        yield opened


def test_markdown_is_the_report(store: Store) -> None:
    plan = samples.add(store).plan.id
    assert export(store, plan, "md") == written(report_plan(store, plan), "md")


def test_csv_has_every_candidate_and_marks_the_answer(store: Store) -> None:
    answer = samples.prove(store)
    rows = list(csv.DictReader(io.StringIO(export(store, answer.plan.id, "csv"))))
    assert answer.answer is not None
    assert [row["candidate"] for row in rows] == [one.handle for one in answer.candidates]
    assert [row["candidate"] for row in rows if row["answer"] == "1"] == [answer.answer.handle]


def test_json_is_what_show_prints(store: Store) -> None:
    plan = samples.add(store).plan.id
    assert json.loads(export(store, plan, "json")) == kept_json(store, plan)


def test_yaml_asks_the_same_question_again(store: Store) -> None:
    plan = samples.add(store).plan.id
    text = export(store, plan, "yaml")
    assert conversion.to_question(conversion.parse(question_file.read(text, "question.yaml"))) == store.question(plan)


def test_the_picture_shows_the_plan_among_its_candidates(store: Store) -> None:
    root = ElementTree.fromstring(export(store, samples.add(store).plan.id, "svg"))
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "this plan" in texts
    assert "0 of 5 simulated, the others by formula" in texts


def test_a_plan_without_a_fleet_goes_out_in_every_format(store: Store) -> None:
    plan = samples.add(store, samples.infeasible()).plan.id
    for format in dict.fromkeys(SUFFIXES.values()):
        assert export(store, plan, format)


@pytest.mark.thorough
async def test_a_fleet_that_was_simulated_is_read_back_with_its_question(
    store: Store, workers: WorkerPool, tmp_path: Path
) -> None:
    asked = question(trace(tmp_path), gpus=(), tp=(), pools=(1, 2), prices=(("h100", 2.5),), name="mine")
    first = await simulate(sketch(2, 2, token_budget=1024), asked, store=store, pool=workers)
    text = export(store, first.plan.id, "yaml")
    again = fleet_file.read(text, "fleet.yaml")
    values = conversion.parse(fleet_file.read_question(text, "fleet.yaml"))
    second = await simulate(again, conversion.to_question(values, again), store=store, pool=workers)
    assert first.answer is not None
    assert second.answer is not None
    assert second.plan.name == "mine"
    assert second.answer.fleet == first.answer.fleet
    assert second.answer.evidence == first.answer.evidence
    assert second.answer.cost_per_hour == first.answer.cost_per_hour
