import dataclasses

import pytest

from fleettui.domain.plan import Answer, Candidate, PlanIdentity, PlanRow
from fleettui.domain.scenario import Provenance, Question
from fleettui.reports.plan_text import preview_text

PROVENANCE = Provenance(
    program_version="0.3.1", engine_version=2, python="3.12", numpy="2.1", scipy="1.14", platform="linux"
)
ROW = PlanRow(
    id="0199",
    handle="40f2",
    name="small TP",
    created="2026-05-04T08:55:56.000Z",
    workload="azure-2023-conv",
    model="llama-3.1-70b",
    fleet="24 h100 tp4x6",
    gpus=24,
    cost_per_hour=71.0,
    ttft=0.44,
    tpot=0.034,
    e2e=None,
    verdict="pass",
    method="formula",
    tags=("q3", "freeze"),
    note="the safe option; see CAP-1412",
)


@pytest.fixture
def known(answer: Answer) -> Answer:
    return dataclasses.replace(answer, plan=PlanIdentity(handle="40f2", engine_version=2, seed=7))


def heads(text: str) -> list[str]:
    return [line[:8].strip() for line in text.splitlines() if line[:1].strip()]


def test_it_says_what_it_is_what_it_answers_and_how_to_get_it(known: Answer, question: Question) -> None:
    text = preview_text(ROW, known, question, PROVENANCE)
    assert heads(text) == ["asked", "PASS by", "limits", "proof", "model", "note", "tags", "made", "again"]
    assert "100/s   azure-2023-conv" in text
    assert "2026-05-04 08:55 UTC by fleettui 0.3.1, engine 2 seed 7 again" in " ".join(text.split())
    assert "q3 freeze" in text
    assert text.endswith("fleettui show 40f2")


def test_a_plan_at_work_is_not_proven_yet(known: Answer, unproven: Candidate, question: Question) -> None:
    open_still = dataclasses.replace(known, verdict="unproven", answer=unproven)
    for finished, words in ((True, "NOT PROVEN "), (False, "NOT PROVEN YET ")):
        text = preview_text(dataclasses.replace(ROW, finished=finished), open_still, question, PROVENANCE)
        assert words in text
        assert finished or "YET" in text


def test_what_is_not_there_takes_no_line(known: Answer, question: Question) -> None:
    bare = dataclasses.replace(ROW, tags=(), note="")
    text = preview_text(bare, known, question, PROVENANCE)
    assert not {"note", "tags"} & set(heads(text))
    assert "what-if" not in text


def test_its_studies_are_counted_and_the_newest_named(known: Answer, question: Question) -> None:
    text = preview_text(ROW, known, question, PROVENANCE, studies=2, newest="When does each fleet run out?")
    assert heads(text)[-3:] == ["made", "studies", "again"]
    assert "studies 2: When does each fleet run out?" in text.splitlines()


@pytest.mark.parametrize("width", [40, 58, 78])
def test_it_fits(width: int, known: Answer, question: Question) -> None:
    lines = preview_text(ROW, known, question, PROVENANCE, width=width).splitlines()
    assert max(map(len, lines)) <= width
