from collections.abc import Sequence

from fleettui.reports import units
from fleettui.reports.columns import BOTH, REPORT, Column, csv_text, data, figure, table, words
from fleettui.reports.table import Head

COLUMNS: Sequence[Column[tuple[str, float | None]]] = (
    words("name", lambda row: row[0], wrap=True, name="name"),
    figure("share", lambda row: row[1], "{:.0%}".format, name="share", sign=lambda row: "~" if row[0] == "a" else ""),
    figure("hidden", lambda row: row[1], name="hidden", shown=False),
    data("known", lambda row: row[1] is not None),
    words("last", lambda row: row[0].upper(), least=5),
)
ROWS = (("a", 0.25), ("b", 0.5), ("c", None))


def test_a_page_has_the_columns_with_a_head_and_their_texts() -> None:
    told = table(COLUMNS, ROWS, title="shares", note="three")
    assert (told.title, told.note) == ("shares", "three")
    assert told.columns == (
        Head(title="name", wrap=True),
        Head(title="share", align="right"),
        Head(title="last", least=5),
    )


def test_a_column_stands_on_its_pages_alone() -> None:
    columns: Sequence[Column[str]] = (
        words("list", str),
        words("report", str, pages=REPORT),
        figure("both", len, pages=BOTH, if_room=True),
        words("spare", str, if_room=True),
    )
    assert [one.title for one in table(columns, ["a"]).columns] == ["list", "both", "spare"]
    told = table(columns, ["a"], page="report")
    assert told.columns == (Head(title="report"), Head(title="both", align="right", if_room=True))
    assert told.rows == (("a", "1"),)


def test_a_sign_stands_before_figures_and_what_is_undefined_is_a_dash() -> None:
    assert table(COLUMNS, ROWS).rows == (("a", "~25%", "A"), ("b", "50%", "B"), ("c", "-", "C"))
    assert table(COLUMNS, [("a", None)]).rows == (("a", "-", "A"),)
    fraction: Column[tuple[str, float | None]] = figure("busy", lambda _: 0.81, units.fraction, sign=lambda _: "~")
    assert fraction.tell(ROWS[:1]) == ["~.81"]


def test_data_have_the_columns_with_a_name_unrounded_and_an_empty_cell_is_undefined() -> None:
    assert csv_text(COLUMNS, ROWS) == ("name,share,hidden,known\na,0.25,0.25,True\nb,0.5,0.5,True\nc,,,False\n")


def test_a_cell_with_a_comma_is_quoted() -> None:
    assert csv_text(COLUMNS[:1], [("a, b", None)]) == 'name\n"a, b"\n'


def test_words_that_a_spreadsheet_would_compute_stand_behind_an_apostrophe() -> None:
    assert csv_text(COLUMNS[:1], [("=HYPERLINK(1)", None), ("-x", None)]) == "name\n'=HYPERLINK(1)\n'-x\n"
