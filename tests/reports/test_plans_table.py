import dataclasses

from fleettui.domain.plan import PlanRow
from fleettui.reports.plans_table import plans_table
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
)


def test_one_row_per_plan() -> None:
    table = plans_table([ROW])
    assert table.rows == (("9f3c", "05-04 12:34", "chat: azure-2023-conv", ROW.fleet, "148", "PASS", "formula"),)


def test_what_is_undefined_is_a_dash() -> None:
    empty = dataclasses.replace(ROW, name="", fleet="", gpus=None, cost_per_hour=None, ttft=None, verdict="infeasible")
    assert plans_table([empty]).rows[0][2:6] == ("azure-2023-conv", "", "-", "INFEASIBLE")


def test_the_list_fits_80_columns() -> None:
    long = dataclasses.replace(ROW, name="a very long name " * 4)
    assert max(map(len, render(plans_table([ROW, long]), 80).splitlines())) <= 80
