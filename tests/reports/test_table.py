import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleettui.errors import InputError
from fleettui.reports.table import Column, Table, render, wrap

COLUMNS = (Column(title="name"), Column(title="count", align="right"), Column(title="why", wrap=True))


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


def test_a_table_that_cannot_fit_is_told_without_cutting_a_figure() -> None:
    table = Table(
        title="costs", columns=COLUMNS, rows=(("a", "1,234,567", "x" * 8), ("", "2", "because of it")), note="end"
    )
    assert render(table, 20).splitlines() == [
        "costs",
        "a   count 1,234,567",
        "  why xxxxxxxx",
        "  count 2   why",
        "  because of it",
        "end",
    ]


def test_the_widest_wrap_column_gives_way_first() -> None:
    columns = (Column(title="a", wrap=True), Column(title="b", wrap=True))
    table = Table(columns=columns, rows=(("x" * 10, "word " * 10),))
    assert render(table, 30).splitlines()[1].startswith("x" * 10 + "  word")


def test_a_row_has_one_cell_per_column() -> None:
    with pytest.raises(InputError, match="one cell per column"):
        Table(columns=COLUMNS, rows=(("a",),))


def test_wrapped_text_hangs_under_its_head() -> None:
    assert wrap("alpha beta", 12, "why  ") == ["why  alpha", "     beta"]
    assert wrap("", 12, "why  ") == ["why"]
