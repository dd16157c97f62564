import json
from dataclasses import replace

import pytest

from fleettui.domain.study import Cell, Study, StudyColumn, StudyTable
from fleettui.reports.study_text import footnoted, study_json, study_line, study_text
from fleettui.reports.table import WIDTH
from tests.store.samples import study


def text_of(table: StudyTable, width: int = WIDTH) -> str:
    """Return one table as it stands in a study."""
    return study_text(Study(kind="whatif", title="t", question="", tables=(table,)), width).removeprefix("t\n\n")


def test_sentences_stand_before_the_tables_and_warnings_after() -> None:
    assert study_text(replace(study("last"), handle="41a7")).splitlines() == [
        "When does each fleet run out?",
        "asked   whatif last --steps",
        "",
        "4 H100 hold up to 25.5/s.",
        "λ × w",
        "",
        "steps",
        "fleet         GPUs  until /s  cost $/h",
        "4 h100 tp4x1     4      25.5     11.96",
        "8 h100 tp4x2     8      60.0         -",
        "until: the rate at which it runs out",
        "",
        "! dispersion above 2",
        "",
        "study 41a7   again: fleettui show 41a7   as data: with --json",
    ]


def test_what_is_not_there_leaves_no_gap() -> None:
    bare = Study(kind="whatif", title="Nothing changes", question="")
    assert study_text(bare) == "Nothing changes"


def test_a_wide_table_stays_within_the_width_and_loses_no_figure() -> None:
    columns = (
        StudyColumn(name="fleet"),
        *(StudyColumn(name=f"a_rather_long_name_{place}", quantity="count") for place in range(6)),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (f"fleet {row}", *(1000 * row + place for place in range(6))) for row in range(3)
    )
    wide = replace(study(), tables=(StudyTable(title="wide", columns=columns, rows=rows, note="n" * 200),))
    for width in (40, 80, 120):
        text = study_text(wide, width)
        assert max(map(len, text.splitlines())) <= width
        words = " ".join(text.split())
        assert all(
            f"a rather long name {place}" in words and f" {1000 * row + place:,}" in words
            for row in (1, 2)
            for place in range(6)
        )


def test_a_table_without_rows_says_so() -> None:
    empty = StudyTable(title="flips", columns=(StudyColumn(name="price"),), rows=(), note="at any price")
    assert text_of(empty) == "flips\n(no rows)\nat any price"


def test_long_notes_that_repeat_are_numbered_below_the_table() -> None:
    columns = (StudyColumn(name="cell"), StudyColumn(name="printed", quantity="number"), StudyColumn(name="note"))
    long = "there prompts are free and a GPU is a node"
    rows = (("GPUs", 284, long), ("$/yr", 5, f"{long}; ours by load alone"))
    table = StudyTable(title="FO T3", columns=columns, rows=rows, note="at 1,000/s")
    assert text_of(table, 40).splitlines() == [
        "FO T3",
        "cell  printed  note",
        "GPUs      284  [1]",
        "$/yr        5  [1][2]",
        "at 1,000/s",
        "[1] there prompts are free and a GPU is",
        "    a node",
        "[2] ours by load alone",
    ]


def test_dates_stay_whole_beside_a_long_note() -> None:
    columns = (
        *(StudyColumn(name=name, quantity="date") for name in ("order_by", "needed_from", "last_seen", "first_seen")),
        StudyColumn(name="note"),
    )
    days = "2026-12-01", "2026-12-02", "2026-12-03", "2026-12-04"
    table = StudyTable(title="orders", columns=columns, rows=((*days, "needs 64 h100 of 40 that there are at all"),))
    for width in (40, 60, 76):
        assert set(days) <= set(text_of(table, width).split())


LONG = "there prompts are free and a GPU is a node"
OTHER = "ours 443 x 4 A100, by load alone"


def noted(*notes: str | None, name: str = "note") -> StudyTable:
    columns = StudyColumn(name="cell"), StudyColumn(name=name)
    return StudyTable(title="t", columns=columns, rows=tuple(("c", note) for note in notes))


def test_each_part_of_long_notes_is_told_once_under_its_number() -> None:
    found, notes = footnoted(noted(LONG, f"{LONG}; {OTHER}", "", None, OTHER))
    assert [row[-1] for row in found.rows] == ["[1]", "[1][2]", "", "", "[2]"]
    assert notes == (LONG, OTHER)


@pytest.mark.parametrize(
    "other",
    [
        noted("already late", "already late"),
        noted(LONG, OTHER),
        noted(LONG, LONG, name="limited_by"),
        noted("", None),
        noted(),
        StudyTable(title="t", columns=(), rows=()),
    ],
)
def test_short_notes_single_ones_and_other_columns_stay_in_their_rows(other: StudyTable) -> None:
    assert footnoted(other) == (other, ())


def test_a_study_is_an_object_of_si_cells_under_their_names() -> None:
    plain = study_json(replace(study("last"), id="0199", handle="41a7", created="2026-11-21T20:00:00.000Z"), "show")
    assert plain == {
        "schema": 1,
        "command": "show",
        "study": {
            "id": "0199",
            "handle": "41a7",
            "kind": "steps",
            "title": "When does each fleet run out?",
            "question": "whatif last --steps",
            "plan": "last",
            "seed": 7,
            "engine_version": study().engine_version,
            "created": "2026-11-21T20:00:00.000Z",
        },
        "sentences": ["4 H100 hold up to 25.5/s.", "λ × w"],
        "tables": [
            {
                "title": "steps",
                "note": "until: the rate at which it runs out",
                "columns": [{"name": one.name, "quantity": one.quantity} for one in study().tables[0].columns],
                "rows": [
                    {"fleet": "4 h100 tp4x1", "gpus": 4, "until": 25.5, "cost": 11.96},
                    {"fleet": "8 h100 tp4x2", "gpus": 8, "until": 60.0, "cost": None},
                ],
            }
        ],
        "warnings": ["dispersion above 2"],
    }
    assert list(plain) == ["schema", "command", "study", "sentences", "tables", "warnings"]


def test_a_study_of_no_plan_has_null_there() -> None:
    assert study_line(study())["plan"] is None


def test_each_column_says_what_it_is_in() -> None:
    """Found: up_to is tokens in a fleet and requests per second in a study's row."""
    (table,) = study_json(study(), "show")["tables"]
    assert {"name": "until", "quantity": "rate"} in table["columns"]
    assert [one["name"] for one in table["columns"]] == list(table["rows"][0])


def test_published_tables_are_as_any_others_and_hold_cells_as_before() -> None:
    names = ("table", "cell", "printed", "paper", "recommended", "note")
    columns = tuple(
        StudyColumn(name=name, quantity="number" if 1 < place < 5 else "text") for place, name in enumerate(names)
    )
    table = StudyTable(title="FO T3", columns=columns, rows=(("FO T3", "GPUs", 24, 24, float("nan"), "slots"),))
    plain = study_json(replace(study(), kind="published", tables=(table,)), "published")
    rows = [{"table": "FO T3", "cell": "GPUs", "printed": 24, "paper": 24, "recommended": None, "note": "slots"}]
    (told,) = plain["tables"]
    assert {name: told[name] for name in ("table", "note", "cells")} == {"table": "FO T3", "note": "", "cells": rows}
    assert (told["title"], told["rows"], told["columns"][2]) == (
        *("FO T3", rows),
        {"name": "printed", "quantity": "number"},
    )
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
