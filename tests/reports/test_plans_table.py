from fleettui.domain.plan_row import PlanRow
from fleettui.domain.slo import Slo
from fleettui.reports.plans_table import gpu_totals, plans_table, signed_table
from fleettui.reports.row_text import row_screen
from fleettui.reports.table import render

ROW = PlanRow(
    id="0199",
    handle="9f3c",
    name="chat",
    created="2026-05-04T12:34:56Z",
    workload="azure-2023-conv",
    model="llama-3.1-70b",
    fleet="2 h100 tp2x1 + 48 h100 tp8x6",
    gpus=50,
    cost_per_hour=148.0,
    ttft=0.37,
    tpot=0.045,
    e2e=12.0,
    verdict="pass",
    method="formula",
    rate=100.0,
    dtype="fp8",
    slo=Slo(ttft=0.5, tpot=0.05),
)

WHOLE = """\
plan  made (UTC)   question                   fleet           $/h  verdict
9f3c  05-04 12:34  azure-2023-conv 100/s      48 H100 tp8 x6  148  ~PASS formula
                   P99 TTFT<500ms TPOT<50ms"""


def test_one_row_per_plan() -> None:
    table = plans_table([ROW])
    asked = "chat: azure-2023-conv 100/s P99 TTFT<500ms TPOT<50ms"
    assert table.rows == (
        ("9f3c", "05-04 12:34", asked, "llama-3.1-70b fp8", "2 H100 tp2 x1 + 48 H100 tp8 x6", "148", "~PASS formula"),
    )


def test_a_wish_that_no_fleet_fulfils_stands_beside_the_verdict() -> None:
    missed = ROW._replace(verdict="fail", method="simulation", confidence=0.9, unmet="no fleet is 90% sure")
    assert plans_table([missed]).rows[0][-1] == "FAIL simulated, not 90% sure"
    assert plans_table([missed._replace(unmet="")]).rows[0][-1] == "FAIL simulated"
    assert signed_table([missed], "", wide=False).rows[0][-1] == "FAIL, not 90% sure"


def test_a_closed_loop_passes_at_nominal_speed_as_its_view_says() -> None:
    closed = ROW._replace(method="simulation", untold=True)
    assert plans_table([closed]).rows[0][-1] == "PASS at nominal speed"
    assert signed_table([closed], "", wide=False).rows[0][-1] == "PASS at nominal speed"
    assert plans_table([closed._replace(method="formula")]).rows[0][-1] == "~PASS at nominal speed"
    assert plans_table([closed._replace(verdict="fail")]).rows[0][-1] == "FAIL simulated"


def test_a_fleet_that_was_given_no_limit_keeps_up_as_its_view_says() -> None:
    free = ROW._replace(method="simulation", slo=Slo())
    assert plans_table([free]).rows[0][-1] == "KEEPS UP simulated"
    assert signed_table([free], "", wide=False).rows[0][-1] == "KEEPS UP"
    assert row_screen(free).startswith("KEEPS UP   ")


def test_spares_are_explained_once_below_the_table() -> None:
    spared = ROW._replace(fleet="72 h100 tp8x7+2")
    assert plans_table([ROW]).note == ""
    assert plans_table([ROW, spared, spared]).note == "7+2: 7 serve at the peak, 2 stand by for failures"
    assert gpu_totals(spared.fleet) == "72 H100"


def test_what_is_undefined_is_a_dash() -> None:
    empty = ROW._replace(name="", fleet="", gpus=None, cost_per_hour=None, ttft=None, verdict="infeasible")
    assert plans_table([empty]).rows[0][4:] == ("", "-", "INFEASIBLE")
    older = empty._replace(rate=None, slo=None)
    assert plans_table([older]).rows[0][2] == "azure-2023-conv"


def test_plans_that_differ_in_what_was_asked_look_different() -> None:
    looser = ROW._replace(slo=Slo(tpot=0.1, percentile=0.999))
    more = ROW._replace(rate=0.25)
    none = ROW._replace(slo=Slo())
    words = [row[2].removeprefix("chat: azure-2023-conv ") for row in plans_table([ROW, looser, more, none]).rows]
    assert words == [
        "100/s P99 TTFT<500ms TPOT<50ms",
        "100/s P99.9 TPOT<100ms",
        "0.250/s P99 TTFT<500ms TPOT<50ms",
        "100/s no SLO",
    ]


def test_the_verdict_says_how_it_is_known_and_whether_it_stands() -> None:
    simulated = ROW._replace(method="simulation")
    known = (
        simulated._replace(finished=False),
        simulated._replace(finished=False, so_far="24 H100 is not proven yet"),
        simulated,
        simulated._replace(verdict="fail"),
        simulated._replace(verdict="unproven"),
    )
    assert [row[-1] for row in plans_table(known).rows] == [
        "NOT FINISHED",
        "NOT PROVEN YET",
        "PASS simulated",
        "FAIL simulated",
        "NOT PROVEN",
    ]
    assert plans_table([ROW._replace(archived=True)]).rows[0][2].endswith("TPOT<50ms (archived)")


def test_the_list_fits_80_columns() -> None:
    long = ROW._replace(name="a very long name " * 4)
    one = ROW._replace(name="", fleet="48 h100 tp8x6")
    assert render(plans_table([one]), 80) == WHOLE
    assert "llama-3.1-70b fp8" in render(plans_table([one]), 140)
    assert max(map(len, render(plans_table([ROW, long, one]), 80).splitlines())) <= 80


def test_plans_of_several_models_say_each_its_own_and_how_sure_they_were_asked_to_be() -> None:
    other = ROW._replace(model="qwen3-32b", confidence=0.9)
    found = plans_table([ROW, other])
    assert "model" not in [column.title for column in found.columns]
    assert found.rows[0][2] == "chat: azure-2023-conv 100/s llama-3.1-70b fp8 P99 TTFT<500ms TPOT<50ms"
    assert found.rows[1][2].endswith("qwen3-32b fp8 P99 TTFT<500ms TPOT<50ms 90% sure")
    assert signed_table([other], "", wide=False).rows[0][2] == "chat 90% sure"


def test_one_long_row_leaves_the_table_a_table() -> None:
    """Seen: every row told as a paragraph, its titles within, as one verdict was too wide."""
    fleet = "16 mi300x tp8x2+1 + 24 rtx-pro-6000 tp4x6+2 + 8 l40s tp4x2"
    long = ROW._replace(
        name="",
        workload="splitwise-conversation-2024",
        fleet=fleet,
        method="simulation",
        verdict="fail",
        spare=-12,
    )
    lines = render(plans_table([ROW, long]), 80).splitlines()
    assert lines[0].split()[:6] == ["plan", "made", "(UTC)", "question", "fleet", "$/h"]
    assert sum(line.startswith("9f3c  05-04 12:34  ") for line in lines) == 2
    assert max(map(len, lines)) <= 80
