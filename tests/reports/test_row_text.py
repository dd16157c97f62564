"""What the first frame says of a plan before that is read: its answer, and its question."""

from fleettui.domain.slo import Slo
from fleettui.reports.row_text import row_question, row_screen, row_summary
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


def test_the_question_is_told_as_far_as_the_row_knows_it() -> None:
    row = ROW._replace(workload="traces/day.csv", model="m", dtype="fp8", rate=20.0, slo=Slo(ttft=0.5))
    assert row_summary(row) == "day.csv  m fp8  P99 TTFT<500ms"
    first, second = row_question(row).split("\n")
    assert first == "question  workload day.csv  rate 20.0/s  model m  dtype fp8"
    assert second.split() == ["P99", "TTFT<500ms"]
    assert row_summary(row._replace(slo=None)).endswith("no SLO")
