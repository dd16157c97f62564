from fleettui.planning.doctor import Check
from fleettui.reports.checks_table import checks_table
from fleettui.reports.table import render


def test_a_row_for_each_check() -> None:
    checks = (
        Check(name="python", state="ok", found="3.11.4"),
        Check(name="store", state="fail", found="it is read-only", remedy="set FLEETTUI_DB"),
    )
    assert render(checks_table(checks)).split("\n") == [
        "      what    found            do",
        "ok    python  3.11.4",
        "fail  store   it is read-only  set FLEETTUI_DB",
    ]
