from dataclasses import replace

import pytest

from fleettui.domain.study import Cell, Study, StudyColumn, StudyTable
from fleettui.errors import InputError
from fleettui.reports.comparison.studies import study_changes

COLUMNS = (
    StudyColumn(name="gpu"),
    StudyColumn(name="rate", quantity="rate"),
    StudyColumn(name="cost_per_hour", quantity="dollars per hour"),
    StudyColumn(name="fleet"),
)


def study(handle: str, *rows: tuple[Cell, ...], sentence: str = "as planned") -> Study:
    table = StudyTable(title="the answer at each point", columns=COLUMNS, rows=rows)
    return Study(
        kind="whatif", handle=handle, title="what if", question="whatif 41a7", sentences=(sentence,), tables=(table,)
    )


OLD = study("aa", ("h100", 50.0, 70.0, "x6"), ("h100", 100.0, 140.0, "x12"), ("a100", 50.0, 60.0, "x9"))


def test_rows_are_found_by_what_names_them_and_only_what_differs_is_told() -> None:
    new = study("bb", ("a100", 50.0, 60.0, "x9"), ("h100", 50.0, 70.0 + 1e-9, "x6"), ("h100", 100.0, 165.0, "x12"))
    (table,) = study_changes(OLD, new).tables
    assert table.title == "cost per hour; the answer at each point"
    assert [column.name for column in table.columns] == ["gpu", "rate", "aa", "bb"]
    assert table.columns[-1].quantity == "dollars per hour"
    assert table.rows == (("h100", 100.0, 140.0, 165.0),)
    assert table.note == ""


def test_rows_of_one_alone_are_counted_and_sentences_that_changed_told() -> None:
    new = study("bb", ("h100", 100.0, 150.0, "x13"), ("l40s", 50.0, 50.0, "x20"), sentence="another answer")
    found = study_changes(OLD, new)
    assert [table.note for table in found.tables] == ["rows only in aa: 2, only in bb: 1"] * 2
    assert [table.rows for table in found.tables] == [
        (("h100", 100.0, 140.0, 150.0),),
        (("h100", 100.0, "x12", "x13"),),
    ]
    assert found.sentences == ("aa: as planned", "bb: another answer")


def test_equal_studies_say_so_and_other_engines_are_warned_of() -> None:
    found = study_changes(OLD, replace(OLD, handle="bb", engine_version=1, question="whatif 40f2"))
    assert (found.tables, found.sentences) == ((), ("aa and bb say the same",))
    assert found.warnings[0] == "asked: whatif 41a7; and: whatif 40f2"
    assert found.warnings[1].startswith("made by engines")
    alone = study_changes(OLD, replace(OLD, tables=()))
    assert alone.warnings == ("1 table is in one of them only",)


def test_two_kinds_are_refused() -> None:
    with pytest.raises(InputError, match="studies of two kinds"):
        study_changes(OLD, replace(OLD, kind="pareto"))
