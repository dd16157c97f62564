"""The shipped plan is what this program answers today.

After a change that is meant, write it anew: `python -m tests.planning.test_example`.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.plan import ENGINE_VERSION, Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.bug_report import program_version
from fleettui.planning.example import CANDIDATE, HANDLE, PLAN, QUESTION, example
from fleettui.planning.make_plan import make_plan
from fleettui.reports.confidence_text import surely
from fleettui.reports.plan_json import plan_json
from fleettui.reports.plan_text import plan_text
from fleettui.reports.question import conversion, question_file
from store import Store
from tests.planning.recalled import Recalling, rounded
from tests.repeated import few

ASKED = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=100.0),
    slo=Slo(ttft=0.5, tpot=0.05),
    gpus=("h100",),
    tp=(8,),
    step_law="kernels",
)
IDENTITY = ("id", "handle", "candidate", "created", "version")
"""What tells one run of the program from another that came to the same."""
REPLICATIONS = Path(__file__).with_name("example_replications.json.gz")
"""What each replication of the shipped plan came to when it was written, by what was asked for."""
MOST = 10
"""Replications that one of its fleets has."""


def planned(pool: Recalling) -> Answer:
    """Return what the program answers now, of no store."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "plans.db") as store:
        return anonymous(asyncio.run(make_plan(ASKED, store=store, pool=pool)))


def anonymous(answer: Answer) -> Answer:
    """Return the answer with an identity that no store gives."""
    names = {one.candidate: f"{CANDIDATE}{number}" for number, one in enumerate(answer.candidates, 1)}

    def renamed(one: Candidate) -> Candidate:
        return replace(one, candidate=names[one.candidate], handle=names[one.candidate])

    return replace(
        answer,
        plan=replace(answer.plan, id="", handle=HANDLE, created=""),
        answer=None if answer.answer is None else renamed(answer.answer),
        candidates=tuple(map(renamed, answer.candidates)),
    )


def text_of(answer: Answer) -> str:
    """Return the file's text: one key a line, and one candidate a line."""
    plain = {**plan_json(answer), "version": program_version()}
    lines = []
    for name, value in plain.items():
        rows = [json.dumps(row, ensure_ascii=False) for row in value] if name == "candidates" else []
        whole = "[\n  " + ",\n  ".join(rows) + "\n]" if rows else json.dumps(value, ensure_ascii=False)
        lines.append(f"{json.dumps(name)}: {whole}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


@pytest.mark.looks
@pytest.mark.parametrize("index", few(range(MOST), 1))
def test_it_is_what_the_program_answers_today(index: int) -> None:
    shipped = json.loads(PLAN.read_text("utf-8"))
    pool = Recalling(REPLICATIONS, index)
    assert rounded(shipped, IDENTITY) == rounded(plan_json(planned(pool)), IDENTITY)
    assert pool.simulated.keys() < pool.kept.keys(), "other replications are kept: write them anew"


def test_it_shows_well() -> None:
    answer, question, version = example()
    assert question == ASKED
    assert (answer.verdict, answer.plan.engine_version, version) == ("pass", ENGINE_VERSION, shipped_version())
    assert answer.answer is not None
    assert answer.answer.evidence is not None
    assert answer.answer.evidence.method == "simulation"
    assert len(question.slo.limits()) == 2
    assert "PASS at nominal speed   " in plan_text(answer, question)
    assert answer.confidence is not None
    assert f"{surely(answer.confidence.holds)} sure that" in plan_text(answer, question)


def test_it_belongs_to_no_store() -> None:
    answer, _, _ = example()
    assert (answer.plan.id, answer.plan.handle, answer.plan.created) == ("", HANDLE, "")
    names = [one.candidate for one in answer.candidates]
    assert len(set(names)) == len(names) > 1
    assert answer.answer in answer.candidates
    assert all(one.handle == one.candidate for one in answer.candidates)


def test_its_files_are_as_they_are_written() -> None:
    answer, question, version = example()
    assert PLAN.read_text("utf-8") == text_of(answer).replace(json.dumps(program_version()), json.dumps(version))
    assert QUESTION.read_text("utf-8") == question_file.write(conversion.to_values(question))


def test_reading_it_loads_nothing_heavy() -> None:
    code = (
        "import sys; from fleettui.planning.example import example; example(); "
        "print({'numpy', 'scipy', 'numba', 'sqlmodel', 'sqlalchemy', 'textual'} & set(sys.modules))"
    )
    found = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout == "set()\n"


def shipped_version() -> str:
    """Return the version that the file names, which the changelog knows."""
    version = str(json.loads(PLAN.read_text("utf-8"))["version"])
    assert version in (Path(__file__).parents[2] / "CHANGELOG.md").read_text("utf-8")
    return version


if __name__ == "__main__":
    PLAN.parent.mkdir(exist_ok=True)
    every = Recalling(None)
    PLAN.write_text(text_of(planned(every)), "utf-8")
    every.keep(REPLICATIONS)
    QUESTION.write_text(question_file.write(conversion.to_values(ASKED)), "utf-8")
