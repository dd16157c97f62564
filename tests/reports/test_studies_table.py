from dataclasses import replace

import pytest

from fleettui.planning.studies import STUDIES
from fleettui.reports.studies_table import kind_words, studies_json, studies_table
from fleettui.reports.table import render
from tests.store.samples import study

MADE = replace(study(), id="0199", handle="41a7", created="2026-11-21T20:51:01.000Z")


def test_a_study_is_a_row_with_its_plan() -> None:
    table = studies_table([(MADE, "9f3c"), (replace(MADE, kind="whatif"), "")])
    assert table.rows == (
        ("41a7", "11-21 20:51", "steps", "9f3c", "When does each fleet run out?"),
        ("41a7", "11-21 20:51", "what-if", "-", "When does each fleet run out?"),
    )


@pytest.mark.parametrize("kind", [one.kind for one in STUDIES])
def test_every_list_has_its_columns_in_the_same_places(kind: str) -> None:
    title, *rows = render(studies_table([(replace(MADE, kind=kind, title="long words " * 6), "9f3c")])).splitlines()
    places = [title.index(one) for one in ("study", "made", "kind", "plan", "title")]
    assert places == [0, 7, 20, 33, 40]
    assert [rows[0][place:].split()[0] for place in places[2:]] == [
        kind_words(replace(MADE, kind=kind)),
        "9f3c",
        "long",
    ]
    assert all(row[:40].isspace() and row[40:].strip() for row in rows[1:])


def test_a_study_as_data_says_its_plan_twice_or_not_at_all() -> None:
    one, other = studies_json([(replace(MADE, plan="0198"), "9f3c"), (MADE, "")])
    assert (one["plan"], one["plan_handle"], one["kind"]) == ("0198", "9f3c", "steps")
    assert (other["plan"], other["plan_handle"]) == (None, None)
