"""Columns are told in one unit that suits them, and no figure is lost in rounding."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.domain.study import Cell, Quantity, StudyColumn, StudyTable
from fleettui.reports.study_tables import head, study_table
from fleettui.reports.table import Head, Table


def told(quantity: Quantity, *cells: Cell, name: str = "x") -> tuple[str, ...]:
    """Return the head and the cells of a table of one column."""
    column = StudyColumn(name=name, quantity=quantity)
    table = study_table(StudyTable(title="t", columns=(column,), rows=tuple((cell,) for cell in cells)))
    return (table.columns[0].title, *(row[0] for row in table.rows))


def test_money_by_the_month_has_its_unit_over_it() -> None:
    assert told("number", 107_164.0, name="dollars_month") == ("$/month", "107,164")


def test_what_is_held_to_each_other_is_told_in_one_unit() -> None:
    """A latency predicted at 90 ms stood in ms beside what was seen of it in s."""
    names = ("predicted", "seen", "gap")
    columns = [StudyColumn(name=name, quantity="share" if name == "gap" else "seconds") for name in names]
    rows = ((0.09, 2.4, 25.7),)
    heads = [one.title for one in study_table(StudyTable(title="t", columns=tuple(columns), rows=rows)).columns]
    assert heads == ["predicted s", "seen s", "gap %"]
    apart = (StudyColumn(name="tpot", quantity="seconds"), columns[1])
    heads = [one.title for one in study_table(StudyTable(title="t", columns=apart, rows=((0.09, 2.4),))).columns]
    assert heads == ["TPOT ms", "seen s"]


@pytest.mark.parametrize(
    ("quantity", "cells", "expected"),
    [
        ("seconds", (0.412, 0.0348, 0.3), ("x ms", "412.0", "34.8", "300.0")),
        ("seconds", (12.0, 0.5), ("x s", "12.0", "0.5")),
        ("seconds", (0.533, 362.25, 2514.1), ("x s", "0.53", "362.25", "2,514.10")),
        ("seconds", (4.9, 1325.3), ("x min", "0.082", "22.088")),
        ("seconds", (0.005, 2514.1), ("x s", "0.005", "2,514.100")),
        ("seconds", (86_400.0 * 30, 86_400.0 * 7), ("x d", "30", "7")),
        ("rate", (25.52, 60.0, 120.25), ("x /s", "25.52", "60.00", "120.25")),
        ("rate", (77.0 / 3, 60.0, 120.25), ("x /s", "25.7", "60.0", "120.2")),
        ("rate", (26.77, 19.5), ("x /s", "26.77", "19.50")),  # found: 26.8 beside a sentence's 26.77
        ("rate", (1000.001, 1000.002), ("x /s", "1,000", "1,000")),
        ("rate", (100.01, 100.05), ("x /s", "100.01", "100.05")),
        ("rate", (10.01, 10.04), ("x /s", "10.01", "10.04")),
        ("dollars per hour", (11.96, 7.1), ("x $/h", "11.96", "7.10")),
        ("dollars per hour", (1196.4, 7.1), ("x $/h", "1,196", "7")),
        ("dollars per year", (622_000.0, 1.2e6), ("x K$/yr", "622", "1,200")),
        ("dollars per year", (13.14e6, 1.2e6), ("x M$/yr", "13.14", "1.20")),
        ("share", (0.81, 0.995, 1.0), ("x %", "81.0", "99.5", "100.0")),
        ("share", (0.5, 0.25), ("x %", "50", "25")),
        ("watts", (14_000.0, 583.0), ("x kW", "14.000", "0.583")),
        ("tokens", (131_072, 512), ("x", "131,072", "512")),
        ("count", (24, 3), ("x", "24", "3")),
        ("count", (24, 3.25), ("x", "24.00", "3.25")),
        ("number", (24, 0.4217, 2421), ("x", "24", "0.4217", "2,421")),
        ("number", (1.0, 1.1, 1.25), ("x", "1.00", "1.10", "1.25")),
        ("number", (0.0, 0.0), ("x", "0", "0")),
        ("number", (1 / 3, 2 / 3), ("x", "0.333", "0.667")),
        ("number", (-0.5, 2.0), ("x", "-0.5", "2.0")),
        ("date", ("2026-11-21", None), ("x", "2026-11-21", "-")),
        ("text", ("a", 4, 2.5, None, ""), ("x", "a", "4", "2.5", "-", "")),
        ("seconds", (None, None), ("x", "-", "-")),
        ("seconds", (0.0, 0), ("x ms", "0", "0")),
        ("rate", ("beyond", 60.0), ("x /s", "beyond", "60")),
    ],
)
def test_a_column_is_told_in_one_unit(quantity: Quantity, cells: Sequence[Cell], expected: tuple[str, ...]) -> None:
    assert told(quantity, *cells) == expected


def test_figures_that_are_not_finite_are_undefined() -> None:
    assert told("seconds", math.nan, math.inf, 0.5) == ("x ms", "-", "-", "500")


def test_a_small_figure_beside_a_large_one_does_not_read_as_nothing() -> None:
    assert told("rate", 120_000.0, 0.00012, 0.0)[1:] == ("120,000.0000", "0.0001", "0.0000")
    assert told("rate", 120_000.5, 0.0000012, 0.0)[2] == "1.2e-06"
    assert told("dollars per hour", 3000.5, 0.2) == ("x $/h", "3,000", "0.2")


@given(st.lists(st.floats(0.001, 1000), min_size=1, max_size=8))
def test_a_cell_is_within_one_percent_of_its_figure(values: list[float]) -> None:
    unit, *cells = told("rate", *values)
    assert unit == "x /s"
    for value, cell in zip(values, cells, strict=True):
        assert abs(float(cell.replace(",", "")) - value) <= max(0.01 * value, 0.5e-4 * max(values)) * (1 + 1e-9)


@given(st.lists(st.floats(1e-4, 1e5), min_size=1, max_size=8))
def test_figures_keep_their_order(values: list[float]) -> None:
    read = [float(cell.replace(",", "")) for cell in told("seconds", *sorted(values))[1:]]
    assert read == sorted(read)


def test_numbers_stand_right_and_text_left_and_gives_way() -> None:
    columns = (StudyColumn(name="fleet"), StudyColumn(name="gpus", quantity="count"))
    table = study_table(StudyTable(title="t", columns=columns, rows=(("a", 4),), note="n"))
    assert table == Table(
        title="t",
        columns=(Head(title="fleet", wrap=True), Head(title="GPUs", align="right")),
        rows=(("a", "4"),),
        note="n",
    )


def test_a_column_that_repeats_the_title_is_left_out() -> None:
    columns = (StudyColumn(name="table"), StudyColumn(name="cell"))
    table = study_table(StudyTable(title="FO T3", columns=columns, rows=(("FO T3", "a"), ("FO T3", "b"))))
    assert [column.title for column in table.columns] == ["cell"]
    assert table.rows == (("a",), ("b",))
    only = study_table(StudyTable(title="FO T3", columns=columns[:1], rows=(("FO T3",),)))
    assert (only.columns, only.rows) == ((), ())


def test_a_head_is_the_name_as_words_with_the_unit_once() -> None:
    assert head(StudyColumn(name="cost_per_hour"), "$/h") == "cost $/h"
    assert head(StudyColumn(name="cost $/h"), "$/h") == "cost $/h"
    assert head(StudyColumn(name="p99_ttft"), "ms") == "P99 TTFT ms"
    assert head(StudyColumn(name="high"), "h") == "high h"
    assert head(StudyColumn(name="h"), "h") == "h"
    assert head(StudyColumn(name="power"), "kW") == "power kW"
    assert head(StudyColumn(name="runs out"), "") == "runs out"


def test_a_latency_is_written_as_its_label_where_it_is_the_whole_column() -> None:
    """A word of another study's column is no latency, whatever latencies there are."""
    assert head(StudyColumn(name="p50_batch_normalized", quantity="seconds"), "ms") == "P50 batch NTPOT ms"
    assert head(StudyColumn(name="normalized", quantity="seconds"), "s") == "NTPOT s"
    assert head(StudyColumn(name="normalized_load", quantity="share"), "%") == "normalized load %"
    assert head(StudyColumn(name="normalized", quantity="share"), "%") == "normalized %"
