"""Durations of one column: in the unit of the longest, from ten minutes on in minutes."""

from fleettui.reports import units
from fleettui.reports.columns import figure, table
from fleettui.reports.durations import seconds_alike


def test_a_column_of_durations_has_one_unit() -> None:
    told = table((figure("TTFT", lambda one: one, units.seconds),), [0.41, 0.082, None, 0.0012])
    assert [row[0] for row in told.rows] == ["0.41 s", "0.082 s", "-", "0.0012 s"]
    assert seconds_alike([])(0.5) == "0.50 s"
    assert seconds_alike([0.00002])(0.00001) == "10 us"
