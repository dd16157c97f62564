import re
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.errors import InputError
from fleettui.reports.table import Head, Table, head, render, wrap

COLUMNS = (Head(title="name"), Head(title="count", align="right"), Head(title="why", wrap=True))


def test_columns_are_aligned_and_the_wide_one_wraps() -> None:
    table = Table(
        title="two", columns=COLUMNS, rows=(("a", "1", "because of the weather"), ("bb", "22", "-")), note="end"
    )
    assert render(table, 30).splitlines() == [
        "two",
        "name  count  why",
        "a         1  because of the",
        "             weather",
        "bb       22  -",
        "end",
    ]


@given(
    st.lists(
        st.tuples(*[st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=60)] * 3), max_size=5
    )
)
def test_no_line_is_wider_than_asked(rows: list[tuple[str, str, str]]) -> None:
    table = Table(columns=COLUMNS, rows=tuple(rows), note="x" * 300)
    assert all(len(line) <= 40 for line in render(table, 40).splitlines())


def test_a_last_column_that_would_be_too_narrow_stands_below_its_rows() -> None:
    rows = (("a", "1,234,567", "because of the weather"), ("", "2", ""))
    table = Table(title="costs", columns=COLUMNS, rows=rows, note="end")
    told = [
        "costs",
        "name      count",
        "a     1,234,567",
        "  why because of the",
        "  weather",
        "              2",
        "end",
    ]
    assert render(table, 20).splitlines() == told
    unnamed = Table(columns=(*COLUMNS[:2], Head(title="note", wrap=True)), rows=rows)
    assert render(unnamed, 20).splitlines()[2:4] == ["  because of the", "  weather"]


def test_one_long_cell_below_its_row_takes_all_of_the_last_column_with_it() -> None:
    assert render(Table(columns=COLUMNS, rows=(("a", "1", "word " * 30), ("b", "2", "short"))), 40).splitlines() == [
        "name  count",
        "a         1",
        *textwrap.wrap("why " + "word " * 30, 40, initial_indent="  ", subsequent_indent="  "),
        "b         2",
        "  why short",
    ]


def test_a_table_that_cannot_fit_is_told_without_cutting_a_figure() -> None:
    table = Table(
        title="costs", columns=COLUMNS, rows=(("a", "1,234,567", "x" * 8), ("", "2", "because of it")), note="end"
    )
    assert render(table, 14).splitlines() == [
        "costs",
        "a   count",
        "  1,234,567",
        "  why xxxxxxxx",
        "  count 2",
        "  why because",
        "  of it",
        "end",
    ]
    assert head(table, 14) == []


@pytest.mark.parametrize("width", range(24, 60))
def test_no_word_date_or_option_breaks_where_its_column_gives_way(width: int) -> None:
    columns = (Head(title="fleet", wrap=True), Head(title="by", wrap=True))
    table = Table(columns=columns, rows=(("h100 tp8 from 2026-12-01", "utilization, --slo-ttft"),))
    words = render(table, width).split()
    assert {"2026-12-01", "utilization,", "--slo-ttft"} <= set(words)


def test_a_list_lines_up_whatever_its_cells_are() -> None:
    columns = (Head(title="kind", least=11), Head(title="title", wrap=True))
    assert render(Table(columns=columns, rows=(("why", "When?"),))).splitlines()[1] == "why" + " " * 10 + "When?"


def test_the_widest_wrap_column_gives_way_first() -> None:
    columns = (Head(title="a", wrap=True), Head(title="b", wrap=True))
    table = Table(columns=columns, rows=(("x" * 10, "word " * 10),))
    assert render(table, 36).splitlines()[1].startswith("x" * 10 + "  word")


def test_what_stands_there_if_room_goes_before_any_column_gives_way() -> None:
    spare = (Head(title="tp", if_room=True), Head(title="draws", align="right", if_room=True))
    table = Table(columns=(*COLUMNS[:2], *spare, COLUMNS[2]), rows=(("a", "1", "tp4", "9 kW", "word " * 3 + "word"),))
    assert render(table, 44).splitlines() == [
        "name  count  tp   draws  why",
        "a         1  tp4   9 kW  word word word word",
    ]
    assert render(table, 43).splitlines() == ["name  count  tp   why", "a         1  tp4  word word word word"]
    without = Table(columns=COLUMNS, rows=(("a", "1", "word " * 3 + "word"),))
    for width in (36, 25, 14):
        assert render(table, width) == render(without, width)
    assert head(table, 36) == head(without, 36)


def test_a_row_has_one_cell_per_column() -> None:
    with pytest.raises(InputError, match="one cell per column"):
        Table(columns=COLUMNS, rows=(("a",),))


def test_wrapped_text_hangs_under_its_head() -> None:
    assert wrap("alpha beta", 12, "why  ") == ["why  alpha", "     beta"]
    assert wrap("", 12, "why  ") == ["why"]
    assert wrap("it took 0.45 s and 20 ms", 12) == ["it took", "0.45 s and", "20 ms"]


def test_no_number_is_parted_from_its_unit() -> None:
    text = "it draws 14.8 kW with 30 GPUs, waits 61 ms +-2% and holds 80 GB after 10 runs of H100 tp8 x10, P99 TTFT"
    for width in range(16, 60):
        lines = wrap(text, width)
        assert not any(re.match(r"(kW|GPUs|ms|GB|runs|tp8|x10|TTFT)\b|\+-", line) for line in lines), width
        assert " ".join(lines) == text
