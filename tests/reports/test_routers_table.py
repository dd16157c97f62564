"""The routers of a study in one table, narrow and wide."""

from fleettui.domain.study import Study
from fleettui.reports.routers_table import routers_table
from fleettui.reports.studies.routers import routers_study
from fleettui.reports.table import render
from tests.cli.conftest import PROVEN
from tests.reports.studies.test_routers import PLAYED, needed
from tests.reports.studies.test_sweep import ASKED, PLAN


def routers() -> Study:
    rows = [needed("length", 6), needed("random", 8), needed("vllm-dp", 6)]
    return routers_study(PLAN, ASKED, PROVEN, PLAYED, rows)


def test_the_plans_router_is_marked_and_others_say_what_they_change() -> None:
    lines = [line.rstrip() for line in render(routers_table(routers(), 80), 80).splitlines()]
    assert [" ".join(line.split()) for line in lines] == [
        "router TTFT against length TPOT SLO met needs GPUs $/h proof",
        "> length 0.40 s 40 ms 99% 48 142 simulated",
        "random 0.70 s slower, 0.30 s 40 ms 99% 64 189 simulated",
        "vllm-dp 0.35 s faster, 50 ms 40 ms 99% 48 142 simulated",
    ]


def test_there_is_room_for_more_at_120_columns() -> None:
    text = render(routers_table(routers(), 118), 118)
    assert "not proven" in text
    assert "waiting, running" in text
    assert max(map(len, text.splitlines())) <= 118
