import pytest

from fleettui.domain.study import StudyColumn, StudyTable
from fleettui.reports.footnotes import footnoted

LONG = "there prompts are free and a GPU is a node"
OTHER = "ours 443 x 4 A100, by load alone"


def table(*notes: str | None, name: str = "note") -> StudyTable:
    columns = StudyColumn(name="cell"), StudyColumn(name=name)
    return StudyTable(title="t", columns=columns, rows=tuple(("c", note) for note in notes))


def test_each_part_of_long_notes_is_told_once_under_its_number() -> None:
    found, notes = footnoted(table(LONG, f"{LONG}; {OTHER}", "", None, OTHER))
    assert [row[-1] for row in found.rows] == ["[1]", "[1][2]", "", "", "[2]"]
    assert notes == (LONG, OTHER)


@pytest.mark.parametrize(
    "other",
    [
        table("already late", "already late"),
        table(LONG, OTHER),
        table(LONG, LONG, name="limited_by"),
        table("", None),
        table(),
        StudyTable(title="t", columns=(), rows=()),
    ],
)
def test_short_notes_single_ones_and_other_columns_stay_in_their_rows(other: StudyTable) -> None:
    assert footnoted(other) == (other, ())
