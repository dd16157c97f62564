from dataclasses import replace

from fleettui.reports.studies_table import studies_json, studies_table
from tests.store.samples import study

MADE = replace(study(), id="0199", handle="41a7", created="2026-11-21T20:51:01.000Z")


def test_a_study_is_a_row_with_its_plan() -> None:
    table = studies_table([(MADE, "9f3c"), (replace(MADE, kind="whatif"), "")])
    assert table.rows == (
        ("41a7", "11-21 20:51", "steps", "When does each fleet run out?", "9f3c"),
        ("41a7", "11-21 20:51", "what-if", "When does each fleet run out?", "-"),
    )


def test_a_study_as_data_says_its_plan_twice_or_not_at_all() -> None:
    one, other = studies_json([(replace(MADE, plan="0198"), "9f3c"), (MADE, "")])
    assert (one["plan"], one["plan_handle"], one["kind"]) == ("0198", "9f3c", "steps")
    assert (other["plan"], other["plan_handle"]) == (None, None)
