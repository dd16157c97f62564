import json

import pytest

from fleettui.reports.comparison.build import compare
from fleettui.reports.comparison.model import Compared
from fleettui.reports.comparison.text import comparison_json, comparison_markdown, comparison_table, comparison_text
from tests.reports.comparison.conftest import Make
from tests.reports.conftest import simulated, two_pools


def test_rows_that_differ_stand_under_their_section(base: Compared, other: Compared) -> None:
    table = comparison_table(compare((base, other)), (0, 1))
    assert [column.title for column in table.columns] == ["", "41a7 chat baseline", "40f2"]
    assert [row[0] for row in table.rows] == ["-- results", "cost", "P99 TTFT", "nearest limit"]
    assert table.rows[1][1:] == ("$42/h", "$49/h  +$6.98/h worse")
    assert table.note.endswith("more rows are the same in all")
    every = comparison_table(compare((base, other)), (0, 1), every_row=True)
    assert {"-- inputs", "-- provenance", "model"} <= {row[0] for row in every.rows}
    assert ("model", "llama-3.1-70b", "=") in every.rows
    assert every.note == ""


@pytest.mark.parametrize(("width", "tables"), [(80, 4), (118, 2), (198, 1)])
def test_all_plans_are_shown_at_every_width(width: int, tables: int, base: Compared, make: Make) -> None:
    others = [make(f"400{n}", simulated(two_pools(cost=50.0 + n))) for n in range(4)]
    text = comparison_text(compare((base, *others)), width)
    assert max(map(len, text.splitlines())) <= width
    heads = [line for line in text.splitlines() if "baseline" in line]
    assert len(heads) == tables
    assert all(f"400{n}" in " ".join(heads) for n in range(4))


def test_markdown_has_one_table_of_all_plans(base: Compared, other: Compared, estimate: Compared) -> None:
    text = comparison_markdown(compare((base, other, estimate)))
    piped = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in piped} == {5}
    assert "| **results** |" in text
    assert text.startswith("- 40f2 costs $6.98/h more")
    assert "> ~ is by formula" in text


def test_json_has_every_row_in_si_units(base: Compared, other: Compared) -> None:
    found = json.loads(json.dumps(comparison_json(compare((base, other)), "compare")))
    assert (found["schema"], found["command"]) == (1, "compare")
    assert [plan["handle"] for plan in found["plans"]] == ["41a7", "40f2"]
    (row,) = [row for row in found["rows"] if row["label"] == "P99 TTFT"]
    assert (row["differs"], row["less_is_better"]) == (True, True)
    assert row["cells"][1]["difference"] == pytest.approx(-0.052)
    assert row["cells"][1]["word"] == "better"
