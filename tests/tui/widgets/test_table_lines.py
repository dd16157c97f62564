"""Lines of a table: aligned, cut, and never wider than there is room."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fleettui.reports.table import Head, Table
from fleettui.tui.widgets.table_lines import Layout, fitted, grown, line, plain, verdicts
from tests.repeated import CHARACTERS

COLUMNS = (
    Head(title="plan"),
    Head(title="fleet", wrap=True),
    Head(title="$/h", align="right"),
    Head(title="verdict"),
)
ROWS = (("41a7", "12 x H100 tp4 in three pools", "41.88", "PASS"), ("b", "short", "1,141.88", "FAIL"))


def test_widths_only_grow() -> None:
    first = grown((), COLUMNS, ROWS[1:])
    assert first == (4, 5, 8, 7)
    assert grown(first, COLUMNS, ROWS[:1]) == (4, 28, 8, 7)
    assert grown((9, 9, 9, 9), COLUMNS, ()) == (9, 9, 9, 9)


def test_cells_stand_where_their_column_says() -> None:
    widths = (4, 10, 8, 7)
    assert [line(row, COLUMNS, widths) for row in ROWS] == [
        "41a7  12 x H100…     41.88  PASS   ",
        "b     short       1,141.88  FAIL   ",
    ]
    assert line(ROWS[0], COLUMNS, widths, ascii_only=True) == "41a7  12 x H100~     41.88  PASS   "


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (60, (4, 28, 8, 7)),
        (53, (4, 28, 8, 7)),
        (40, (4, 15, 8, 7)),
        (33, (4, 8, 8, 7)),
        (32, (4, 16, 8)),
        (23, (4, 17)),
        (14, (4, 8)),
        (13, (4,)),
        (3, (3,)),
        (0, (0,)),
        (-2, (0,)),
    ],
)
def test_wrap_columns_give_way_and_then_the_rightmost_go(room: int, expected: tuple[int, ...]) -> None:
    assert fitted(COLUMNS, (4, 28, 8, 7), room) == expected


def test_no_columns_need_no_room() -> None:
    assert fitted((), (), 80) == ()


def test_the_widest_gives_way_first() -> None:
    columns = tuple(Head(title=title, wrap=True) for title in "abc")
    assert fitted(columns, (30, 20, 10), 54) == (20, 20, 10)
    assert sorted(one or 0 for one in fitted(columns, (30, 20, 10), 40)) == [10, 13, 13]


def test_what_stands_there_if_room_goes_before_any_column_gives_way() -> None:
    columns = (*COLUMNS[:2], Head(title="tp", if_room=True), Head(title="GPUs", if_room=True), *COLUMNS[2:])
    widths = (4, 28, 3, 4, 8, 7)
    assert fitted(columns, widths, 64) == widths
    assert fitted(columns, widths, 63) == (4, 28, 3, None, 8, 7)
    assert fitted(columns, widths, 57) == (4, 28, None, None, 8, 7)
    assert fitted(columns, widths, 53) == (4, 28, None, None, 8, 7)
    assert fitted(columns, widths, 40) == (4, 15, None, None, 8, 7)
    assert fitted(columns, widths, 32) == (4, 16, None, None, 8)
    assert fitted(columns, widths, 13) == (4,)


def test_a_layout_draws_what_there_is_room_for() -> None:
    layout = Layout()
    columns = (COLUMNS[0], Head(title="draws", align="right", if_room=True), *COLUMNS[2:])
    layout.learn(Table(columns=columns, rows=(("41a7", "9 kW", "41.88", "PASS"),)))
    seen = {}
    for room in (40, 20):
        layout.fit(room)
        seen[room] = [layout.heads(), layout.row(("41a7", "9 kW", "41.88", "PASS"), cursor=False, mark=False)]
    assert seen[40] == ["  plan  draws    $/h  verdict", "  41a7   9 kW  41.88  PASS   "]
    assert seen[20] == ["  plan    $/h  verdict", "  41a7  41.88  PASS   "]


TEXT = st.text(CHARACTERS, max_size=30)


@given(st.lists(st.tuples(TEXT, TEXT, TEXT, TEXT), max_size=5), st.integers(0, 90), st.booleans())
def test_any_text_is_drawn_in_the_room_there_is(rows: list[tuple[str, ...]], room: int, ascii_only: bool) -> None:
    widths = fitted(COLUMNS, grown((), COLUMNS, rows), room)
    lengths = set()
    for row in rows:
        drawn = line(row, COLUMNS, widths, ascii_only=ascii_only)
        assert drawn.isprintable()
        assert drawn.isascii() or not ascii_only
        lengths.add(cell_len(drawn))
    assert len(lengths) <= 1
    assert max(lengths, default=0) <= room


def test_wide_characters_keep_the_columns_in_place() -> None:
    columns = (Head(title="a", wrap=True), Head(title="b"))
    drawn = [line((text, "|"), columns, (5, 1)) for text in ("字字字字", "12345", "字")]
    assert [cell_len(one.partition("|")[0]) for one in drawn] == [7, 7, 7]
    assert drawn[0] == "字字…  |"


def test_escape_sequences_are_disarmed() -> None:
    assert plain("\x1b]0;title\x07\tand\n") == " ]0;title  and "


def test_a_layout_keeps_its_place_while_pages_come() -> None:
    layout = Layout()
    layout.fit(40)
    assert layout.head == 0
    layout.learn(Table(columns=COLUMNS, rows=ROWS[1:]))
    assert layout.head == 1
    before = layout.row(ROWS[1], cursor=False, mark=False)
    layout.learn(Table(columns=COLUMNS, rows=(("c", "d", "2", "-"),)))
    assert layout.row(ROWS[1], cursor=False, mark=False) == before
    assert layout.heads() == "  plan  fleet       $/h  verdict"
    layout.learn(Table(columns=(Head(title=""),), rows=(("a",),)))
    assert (layout.head, layout.row(("a",), cursor=True, mark=True)) == (0, ">+a")


def test_signs_of_a_layout_in_ascii() -> None:
    assert Layout().row(None, cursor=True, mark=False) == "> …"
    layout = Layout(ascii_only=True)
    assert layout.row(None, cursor=False, mark=False) == "  ..."
    assert layout.told("No plan → a\nsecond line", 12) == ["No plan ? a", "second line"]
    assert layout.told("", 12) == [""]


def test_verdicts_are_cells_that_say_nothing_else() -> None:
    row = "> * 1c00  PASS of FAIL  48 H100  142  NOT PROVEN  no"
    assert [(row[start:end], role) for start, end, role in verdicts(row)] == [("NOT PROVEN", "open"), ("no", "bad")]
    assert verdicts("  * 1c00  no fleet at all  12%") == []
