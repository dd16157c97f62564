"""What the first frame says of a plan before that is read: its answer, and its question."""

from fleettui.domain.slo import Slo
from fleettui.reports.row_text import row_question, row_screen, row_summary, row_verdict
from tests.cli.conftest import ROW


def test_the_first_frame_is_a_line_of_the_list() -> None:
    first, second = row_screen(ROW).split("\n")
    assert first.startswith("PASS")
    assert "48 H100 tp8 x6   $142/h   $103K/month" in first
    assert second == "formula   TTFT 0.40 s   TPOT 40 ms   in the worst pool"
    nothing = ROW._replace(verdict="infeasible", cost_per_hour=None, ttft=None, tpot=None, method="")
    assert row_screen(nothing) == "INFEASIBLE"
    undefined = ROW._replace(method="simulation", ttft=None)
    assert row_screen(undefined).split("\n")[1] == "simulated   TTFT -   TPOT 40 ms   in the worst pool"


def test_a_row_that_is_not_sure_is_no_bare_pass() -> None:
    """Found: PASS before the plan was read, and PASS at nominal speed as soon as it was."""
    for row, word in (
        (ROW._replace(holds=0.61), "PASS at nominal speed"),
        (ROW._replace(holds=0.8), "PASS"),
        (ROW._replace(untold=True), "PASS at nominal speed"),
        (ROW._replace(untold=True, verdict="fail"), "FAIL"),
        (ROW._replace(holds=0.61, slo=Slo()), "KEEPS UP at nominal speed"),
    ):
        assert row_verdict(row) == word
        assert row_screen(row).startswith(f"{word}   48 H100")
    assert row_verdict(ROW._replace(holds=0.61), by_formula=True) == "~PASS at nominal speed"
    assert row_verdict(ROW, by_formula=True) == "PASS by formula"


def test_the_question_is_told_as_far_as_the_row_knows_it() -> None:
    row = ROW._replace(workload="traces/day.csv", model="m", dtype="fp8", rate=20.0, slo=Slo(ttft=0.5))
    assert row_summary(row) == "day.csv  m fp8  P99 TTFT<500ms"
    first, second = row_question(row).split("\n")
    assert first == "question  workload day.csv  rate 20.0/s  model m  dtype fp8"
    assert second.split() == ["P99", "TTFT<500ms"]
    assert row_summary(row._replace(slo=None)).endswith("no SLO")
