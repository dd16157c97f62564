"""A fleet on the screen: what decides stands first, in lines that fit, and nothing is claimed that is not known."""

import dataclasses

import pytest

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question, Slo
from fleettui.reports.plan_text import plan_screen, row_screen, verdict_of
from fleettui.reports.text_page import lines, warned
from tests.cli.conftest import ROW

SCREEN = """\
PASS   24 H100   $71/h   $622K/yr   $0.31 per 1M output tokens
limits  P99 TTFT 11% left   P99 TPOT 30% left   budget 29% left   power 65% left
        H100 24 of 40   draws 14.0 kW
proof   12 runs, 400K requests, P99 TTFT 0.44 s +-0.9%
model   roofline, not calibrated: +-25%  ->  between 22 and 30 GPUs
! the arrivals are burstier than Poisson: variance over mean ...   (tab, then j)

pool   GPUs             req/s  busy  MFU  P99 TTFT  P99 TPOT  limited by
short  16 H100 tp4 x 4   91.7   .80  .43    0.44 s     34 ms  prefill compute
long   8 H100 tp4 x 2    8.30   .80  .43    0.44 s     34 ms  KV memory

why     one replica less: short .93 busy, TTFT 1.9 s, fails
        one pool instead of two: the same GPUs

! the arrivals are burstier than Poisson: variance over mean 16 at 60 s, and
  real waits are longer"""


def test_the_whole_screen(answer: Answer, proven: Candidate, question: Question) -> None:
    assert plan_screen(dataclasses.replace(answer, answer=proven), question) == SCREEN


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
    two = dataclasses.replace(answer, warnings=("one", "other"))
    assert "! other   (tab, then j: all 2)" in plan_screen(two, question)
    assert "!" not in plan_screen(dataclasses.replace(answer, warnings=()), question)


def test_what_is_known_of_a_candidate(
    best: Candidate, slow: Candidate, proven: Candidate, unproven: Candidate, failed: Candidate
) -> None:
    verdicts = [verdict_of(one) for one in (best, slow, proven, unproven, failed)]
    assert verdicts == ["pass", "fail", "pass", "unproven", "fail"]


def test_the_first_frame_is_a_line_of_the_list() -> None:
    first, second = row_screen(ROW).split("\n")
    assert first.startswith("PASS")
    assert "48 h100 tp8x6   $142/h   $1,240K/yr" in first
    assert second == "formula   TTFT 0.40 s   TPOT 40 ms   in the worst pool"
    nothing = dataclasses.replace(ROW, verdict="infeasible", cost_per_hour=None, ttft=None, tpot=None, method="")
    assert row_screen(nothing) == "INFEASIBLE"
    undefined = dataclasses.replace(ROW, method="simulation", ttft=None)
    assert row_screen(undefined).split("\n")[1] == "simulated   TTFT -   TPOT 40 ms   in the worst pool"


def test_a_limit_on_the_whole_answer_gets_its_column(answer: Answer, question: Question) -> None:
    text = plan_screen(answer, dataclasses.replace(question, slo=Slo(e2e=30.0, percentile=0.95)))
    assert "MFU  P95 E2E  limited by" in text
