"""A plan in words: printed whole, on the screen, and in a few lines beside a list."""

import dataclasses
from pathlib import Path

import pytest

from fleettui.domain.plan import UNSTABLE_TAIL, Answer, Candidate, PlanIdentity
from fleettui.domain.provenance import Provenance
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.plan_text import plan_screen, plan_text, preview_text, verdict_of
from fleettui.reports.text_page import lines, warned
from tests import kept_text
from tests.cli.conftest import ROW

PAGES = Path(__file__).parents[1] / "golden" / "pages"


def test_the_whole_plan(answer: Answer, question: Question) -> None:
    kept_text.compare(PAGES / "plan.txt", plan_text(answer, question))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(answer: Answer, infeasible: Answer, question: Question, width: int) -> None:
    for one in (answer, infeasible):
        assert max(map(len, plan_text(one, question, width).splitlines())) <= width


def test_a_plan_fits_a_screen_and_a_half(answer: Answer, question: Question) -> None:
    assert len(plan_text(answer, question).splitlines()) <= 40


def test_infeasible_tells_the_nearest_and_what_it_breaks(infeasible: Answer, question: Question) -> None:
    text = plan_text(infeasible, question)
    assert "INFEASIBLE   no fleet holds every limit; the nearest are below" in text
    assert "41b3    P99 TTFT 0.52 s is above 500ms" in text
    assert "a budget of $75.62/h would do" in text
    assert "PASS" not in text


def test_a_limit_on_the_whole_answer_gets_its_column(answer: Answer, question: Question) -> None:
    text = plan_text(answer, dataclasses.replace(question, slo=Slo(e2e=30.0, percentile=0.95)))
    assert "P95 E2E 70% left" in text
    assert "P95 TTFT  P95 TPOT  P95 E2E" in text


def test_the_whole_proven_plan(answer: Answer, proven: Candidate, failed: Candidate, question: Question) -> None:
    shown = dataclasses.replace(answer, answer=proven, candidates=(proven, failed), warnings=())
    kept_text.compare(PAGES / "plan-proven.txt", plan_text(shown, question))


@pytest.mark.parametrize("width", [40, 60, 79, 80, 120])
@pytest.mark.parametrize("slo", [Slo(ttft=0.5), Slo(ttft=0.5, e2e=9.35, percentile=0.999)])
def test_no_line_of_a_simulated_plan_is_wider_either(
    answer: Answer, unproven: Candidate, failed: Candidate, question: Question, width: int, slo: Slo
) -> None:
    shown = dataclasses.replace(answer, verdict="unproven", answer=unproven, candidates=(unproven, failed))
    text = plan_text(shown, dataclasses.replace(question, slo=slo), width)
    assert max(map(len, text.splitlines())) <= width
    joined = " ".join(text.split())
    assert "0.44 s +-15%" in joined
    assert "not proven" in joined


def test_what_is_not_proven_says_why_and_what_to_type(answer: Answer, unproven: Candidate, question: Question) -> None:
    text = plan_text(dataclasses.replace(answer, verdict="unproven", answer=unproven), question)
    assert "NOT PROVEN   24 H100" in text
    assert "        TTFT of pool short: 0.443 s [0.376, 0.510] around 0.5 s" in text
    # its 12 runs are all that are made of it
    assert text.splitlines()[-2:] == [
        "more runs would not tell, it lies at its limit: take a replica more, or plan",
        "with --headroom 1%",
    ]
    assert unproven.evidence is not None
    begun = dataclasses.replace(unproven, evidence=dataclasses.replace(unproven.evidence, replications=4))
    text = plan_text(dataclasses.replace(answer, verdict="unproven", answer=begun), question)
    assert text.splitlines()[-1] == "more proof: fleettui verify 41a7"
    cut = dataclasses.replace(
        begun, evidence=dataclasses.replace(unproven.evidence, reason=f"{UNSTABLE_TAIL}pool short")
    )
    shown = dataclasses.replace(answer, verdict="unproven", answer=cut)
    assert "more runs would not tell, none may be as long as it takes: take" in plan_text(shown, question)
    assert "more proof" not in plan_text(shown, question)
    assert plan_text(shown, dataclasses.replace(question, arrivals="bursty")).endswith("with --arrivals poisson")


def test_a_failed_fleet_is_told_with_its_reason(answer: Answer, failed: Candidate, question: Question) -> None:
    text = plan_text(dataclasses.replace(answer, verdict="fail", answer=failed, candidates=(failed,)), question)
    assert "FAIL   20 MI300X" in text
    assert "TTFT of pool all: 0.443 s [0.416, 0.470] above 0.4 s" in text
    assert failed.evidence is not None
    again = dataclasses.replace(answer, verdict="fail", answer=failed, why=(failed.evidence.reason,), candidates=())
    assert plan_text(again, question).count(failed.evidence.reason) == 1
    assert "candidates" not in text
    assert "more proof" not in text


def test_nothing_proven_is_not_nothing_found(infeasible: Answer, unproven: Candidate, question: Question) -> None:
    text = plan_text(dataclasses.replace(infeasible, verdict="unproven", candidates=(unproven,)), question)
    assert "NOT PROVEN   no fleet is proven to hold every limit; the nearest are below" in text
    assert "41a7    TTFT of pool short: 0.443 s [0.376, 0.510] around 0.5 s" in text


def test_the_whole_screen(answer: Answer, proven: Candidate, question: Question) -> None:
    kept_text.compare(PAGES / "plan-screen.txt", plan_screen(dataclasses.replace(answer, answer=proven), question))


def test_where_there_is_room_formula_and_simulation_stand_beside_each_other(
    answer: Answer, proven: Candidate, question: Question
) -> None:
    text = plan_screen(dataclasses.replace(answer, answer=proven), question, 100, whole=True)
    assert "known by" in text
    assert "400,000 requests" in text
    assert "every limit holds in every pool" in text
    assert "1 warning" not in text, "the warnings are in view"
    assert "\n".join(lines(warned(answer.warnings), 100)) in text


@pytest.mark.parametrize("width", [40, 60, 76, 77, 78, 79, 80, 120])
@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize("whole", [True, False])
def test_no_line_is_wider_than_the_screen(
    answer: Answer, infeasible: Answer, unproven: Candidate, question: Question, width: int, finished: bool, whole: bool
) -> None:
    waiting = dataclasses.replace(answer, verdict="unproven")
    seen = dataclasses.replace(answer, verdict="unproven", answer=unproven)
    for one in (waiting, seen, infeasible, dataclasses.replace(infeasible, verdict="unproven")):
        text = plan_screen(one, question, width, whole=whole, finished=finished)
        assert max(map(len, text.splitlines())) <= width


def test_what_is_not_finished_is_not_proven_yet(answer: Answer, question: Question) -> None:
    waiting = dataclasses.replace(answer, verdict="unproven")
    assert plan_screen(waiting, question, finished=False).startswith("NOT PROVEN YET   24 H100")
    assert plan_screen(waiting, question).startswith("NOT PROVEN   24 H100")


def test_a_chosen_candidate_is_shown_as_what_it_is(
    answer: Answer, slow: Candidate, failed: Candidate, question: Question
) -> None:
    text = plan_screen(answer, question, chosen=slow)
    assert text.startswith("FAIL   20 MI300X")
    assert "P99 TTFT 4% over" in text
    assert not {"why", "!"} & {line.split(" ")[0] for line in text.splitlines()}, "the reasons are the answer's"
    assert "proof   formula only: not simulated" in text
    assert "TTFT of pool all: 0.443 s [0.416, 0.470] above 0.4 s" in plan_screen(answer, question, chosen=failed)


def test_without_a_fleet_the_reasons_are_left(infeasible: Answer, question: Question) -> None:
    text = plan_screen(infeasible, question)
    assert text.startswith("INFEASIBLE   no fleet holds every limit")
    assert "why     a budget of $75.62/h would do" in text
    assert "pool" not in text


def test_several_warnings_are_counted(answer: Answer, question: Question) -> None:
    question = dataclasses.replace(question, preset="paper")  # where no pool fits in a node
    two = dataclasses.replace(answer, warnings=("one", "other"))
    assert "! other   +1: tab, j" in plan_screen(two, question)
    tips = ("posted prices: 6 B200", "vllm as benchmark submissions set it, its cache in fp8: ~1 GPU fewer")
    assert "! bursts   +2: tab, j" in plan_screen(dataclasses.replace(two, warnings=("bursts", *tips)), question)
    assert f"! {tips[0]}" in plan_screen(dataclasses.replace(two, warnings=tips[:1]), question)
    whole = "w" * 70
    assert f"! {whole}  +1\n" in plan_screen(dataclasses.replace(two, warnings=("one", whole)), question, 80)
    assert " ...   +1: tab, j" in plan_screen(dataclasses.replace(two, warnings=("one", "word " * 17)), question, 80)
    assert "!" not in plan_screen(dataclasses.replace(answer, warnings=()), question)


def test_what_is_known_of_a_candidate(
    best: Candidate, slow: Candidate, proven: Candidate, unproven: Candidate, failed: Candidate
) -> None:
    verdicts = [verdict_of(one) for one in (best, slow, proven, unproven, failed)]
    assert verdicts == ["pass", "fail", "pass", "unproven", "fail"]


def test_on_the_screen_too_a_limit_on_the_whole_answer_gets_its_column(answer: Answer, question: Question) -> None:
    text = plan_screen(answer, dataclasses.replace(question, slo=Slo(e2e=30.0, percentile=0.95)))
    assert "MFU  P95 E2E  limited by" in text


PROVENANCE = Provenance(
    program_version="0.3.1", engine_version=2, python="3.12", numpy="2.1", scipy="1.14", platform="linux"
)
LISTED = ROW._replace(
    handle="40f2",
    name="small TP",
    created="2026-05-04T08:55:56.000Z",
    fleet="24 h100 tp4x6",
    gpus=24,
    cost_per_hour=71.0,
    ttft=0.44,
    tpot=0.034,
    e2e=None,
    tags=("q3", "freeze"),
    note="the safe option; see CAP-1412",
)


@pytest.fixture
def known(answer: Answer) -> Answer:
    return dataclasses.replace(answer, plan=PlanIdentity(handle="40f2", engine_version=2, seed=7))


def heads(text: str) -> list[str]:
    return [line[:8].strip() for line in text.splitlines() if line[:1].strip()]


def test_it_says_what_it_is_what_it_answers_and_how_to_get_it(known: Answer, question: Question) -> None:
    text = preview_text(LISTED, known, question, PROVENANCE)
    assert heads(text) == ["asked", "PASS by", "limits", "proof", "model", "note", "tags", "made", "again"]
    assert "100/s   azure-2023-conv" in text
    assert "2026-05-04 08:55 UTC by fleettui 0.3.1, engine 2 seed 7 again" in " ".join(text.split())
    assert "q3 freeze" in text
    assert text.endswith("fleettui show 40f2")


def test_a_plan_at_work_is_not_proven_yet(known: Answer, unproven: Candidate, question: Question) -> None:
    open_still = dataclasses.replace(known, verdict="unproven", answer=unproven)
    for finished, words in ((True, "NOT PROVEN "), (False, "NOT PROVEN YET ")):
        text = preview_text(LISTED._replace(finished=finished), open_still, question, PROVENANCE)
        assert words in text
        assert finished or "YET" in text


def test_what_is_not_there_takes_no_line(known: Answer, question: Question) -> None:
    bare = LISTED._replace(tags=(), note="")
    text = preview_text(bare, known, question, PROVENANCE)
    assert not {"note", "tags"} & set(heads(text))
    assert "what-if" not in text


def test_its_studies_are_counted_and_the_newest_named(known: Answer, question: Question) -> None:
    text = preview_text(LISTED, known, question, PROVENANCE, studies=2, newest="When does each fleet run out?")
    assert heads(text)[-3:] == ["made", "studies", "again"]
    assert "studies 2, newest: When does each fleet run out?" in text.splitlines()


@pytest.mark.parametrize("width", [40, 58, 78])
def test_it_fits(width: int, known: Answer, question: Question) -> None:
    lines = preview_text(LISTED, known, question, PROVENANCE, width=width).splitlines()
    assert max(map(len, lines)) <= width
